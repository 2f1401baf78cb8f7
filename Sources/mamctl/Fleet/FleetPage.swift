// `fleet page`: all machines on one self-contained page. It loads nothing and sends nothing: its
// policy allows its own style and its own script, by their digests.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func writeFleetPage(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.output()
    let directory = try FleetDirectory(of: invocation)
    if output.text == "-" {
        if invocation.isJSON { throw invocation.misuse("--json needs a file for the page") }
        let survey = try directory.survey(invocation)
        writeOut(Array(FleetPage(survey, directory.root).html.utf8))
        return .success
    }
    let file = try NewFile(for: output, replacing: invocation.arguments.has("force"))
    let survey = try directory.survey(invocation)
    try write(FleetPage(survey, directory.root).html, to: file)
    return invocation.answer(
        [
            "path": .string(output.shown), "machines": JSONValue(survey.machines.count),
            "attention": JSONValue(survey.machines.count { !$0.attention.isEmpty }),
        ], words: "\(output.shown): \(survey.machines.count.counted("machine"))")
}

struct FleetPage {
    let survey: Survey
    let root: FleetRoot
    let sums: Survey.Sums

    init(_ survey: Survey, _ root: FleetRoot) {
        (self.survey, self.root) = (survey, root)
        sums = survey.sums
    }

    var html: String {
        let name = excerpt(of: root.root.name)
        let style: HTML = "\(HTML.reportStyle)\n\(HTML.fleetStyle)"
        let script = HTML.fleetScript
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src '\(digest(style))'; script-src '\(digest(script))'; base-uri 'none'; \
            form-action 'none'">
            <title>Machines of \(name), \(localTime(Int(survey.time), "%Y-%m-%d"))</title>
            <style>\(style)</style></head><body>
            <header><h1>Machines of \(name)</h1>
            <p class="soft">As they reported themselves, to \
            \(localTime(Int(survey.time), "%e %B %Y at %H:%M %Z")); every signature was verified.
            Made by mamctl \(productVersion).</p>
            \(verdict)
            \(figures)</header>
            <main>
            \(charts)
            \(orders)
            \(HTML.machines)
            </main>
            <footer>A machine says of itself what it likes: whoever is root there holds its key.
            A report counts only if the machine of its name has signed it.</footer>
            <script type="application/json" id="data">\(data)</script>
            <script>\(script)</script>
            </body></html>

            """
        return page.text
    }

    private func digest(_ text: HTML) -> HTML {
        HTML(stringLiteral: "sha256-" + base64(SHA256.digest(of: Array(text.text.utf8))))
    }

    /// What stands above everything: the organisation's own documents, and how many machines.
    private var verdict: HTML {
        let flaws = survey.flaws
        let count = survey.machines.count { !$0.attention.isEmpty }
        guard count > 0 || !flaws.isEmpty else {
            return "<div class=\"verdict\"><strong>Nothing needs attention.</strong></div>"
        }
        let items = flaws.prefix(20).map { flaw -> HTML in "<li>\(flaw.english)</li>" }
        let rest = (flaws.count - 20).grouped.english
        let more: HTML = flaws.count > 20 ? "<li>\(rest) more</li>" : ""
        let title =
            count == 0
            ? "The organisation’s own documents need attention"
            : "\(count.counted("machine").english) \(count == 1 ? "needs" : "need") attention"
        return """
            <div class="verdict attention"><strong>\(title)</strong>\
            <ul>\(items)\(more)</ul></div>
            """
    }

    private var figures: HTML {
        let count = survey.machines.count
        let compliant = sums.states[.compliant] ?? 0
        let stale = (sums.states[.stale] ?? 0) + (sums.states[.silent] ?? 0)
        let limit = Int(survey.staleSeconds).asRoughDuration
        let shown = { (number: Int) in number.grouped.english }
        return """
            <dl class="facts">
            \(fact("Machines", shown(count), sums.accounts.counted("account").english))
            \(fact("Compliant", share(compliant, of: count), compliant.counted("machine").english))
            \(fact("Without a report", shown(stale), "for \(limit), or none yet"))
            \(fact("Check-ins fail", shown(sums.attention["problem"] ?? 0), "machines"))
            \(fact("Documents differ", shown(sums.attention["documents"] ?? 0), "machines"))
            \(fact("Orders pending", shown(Int(clamping: sums.pending)), "on the machines"))
            </dl>
            """
    }

    private static let maximumOrderCount = 100

    /// Those that are not done; empty if there are none.
    private var orders: HTML {
        let open = survey.orders.orders.filter {
            ![.obeyed, .withdrawn, .late].contains($0.state)
        }
        guard !open.isEmpty else { return "" }
        let names = survey.names
        let shown = open.suffix(Self.maximumOrderCount).reversed()
        let rows = shown.map { order -> [HTML] in
            [
                HTML(order.order.action.rawValue), "<bdi>\(order.whom(names))</bdi>",
                HTML(rfc3339(order.issued)), "\(order.signed.count) of \(order.needed)",
                HTML(order.outcome.english), "<code>\(String(order.nonce.prefix(8)))</code>",
            ]
        }
        return """
            <section><h2>Orders that are not done</h2>
            \(htmlTable(
                open.count > shown.count
                    ? "The newest \(shown.count) of \(open.count.grouped.english)"
                    : "The newest first",
                ["Order", "Machine", "Issued", "Signed", "State", "Nonce"], rows))</section>
            """
    }
}
