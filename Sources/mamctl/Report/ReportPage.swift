// A report as a self-contained page without scripts.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct ReportPage {
    let data: ReportData

    init(_ data: ReportData) { self.data = data }

    var html: String {
        let status = data.status
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" \
            content="default-src 'none'; style-src 'unsafe-inline'">
            <title>Workspace \(status.name), \(localTime(data.time, "%Y-%m-%d"))</title>
            <style>
            \(HTML.reportStyle)
            </style></head><body>
            <header><h1>Workspace \(status.name)</h1>
            <p class="soft">\(place), from \(status.backingDirectory).
            Made on \(localTime(data.time, "%e %B %Y at %H:%M %Z")) by mamctl \(productVersion).</p>
            \(verdict)
            \(figures)</header>
            <main>
            \(files)
            \(windows)
            \(accounts)
            \(contained)
            \(policies)
            \(verification)
            </main>
            <footer>Sizes of encrypted files are those that their readers see, unless they are told
            as “on disk”. Names, sizes and owners of files are not secret: whoever may read the
            backing directory sees them. This report did not look into the files.</footer>
            </body></html>

            """
        return page.text
    }

    private var place: String {
        data.status.mountPoint.isEmpty
            ? "Being checked, not mounted" : "Mounted at \(data.status.mountPoint)"
    }

    /// The summary: whether anything needs attention.
    private var verdict: HTML {
        let findings = ReportVerdict(data).findings
        guard !findings.isEmpty else {
            return "<div class=\"verdict\"><strong>Nothing needs attention.</strong></div>"
        }
        let items = findings.map { finding -> HTML in "<li>\(finding)</li>" }
        let title =
            findings.count == 1
            ? "One thing needs attention" : "\(findings.count) things need attention"
        return """
            <div class="verdict attention"><strong>\(title)</strong><ul>\(items)</ul></div>
            """
    }

    private var figures: HTML {
        let sealed = data.sums.filter { $0.class != nil }
        let sealedBytes = sealed.reduce(0) { $0 + $1.bytes }
        let encrypted = share(sealedBytes, of: data.total.bytes)
        let sealedFiles = sealed.reduce(0) { $0 + $1.files }.counted("file").english
        let accounts = data.status.accounts
        let open = accounts.count { [.unlocked, .grace].contains($0.state) }
        let inUse = data.status.openFiles.counted("file").english
        let total = data.total
        let directories = total.directories.counted("director", "y", "ies")
        let lastVerify =
            data.verify.map { localTime($0.time, "%e %b %Y %H:%M") } ?? "run mamctl verify"
        let verified =
            data.verify.map { (data.time - $0.time).asTimeAgo.english } ?? "never"
        return """
            <dl class="facts">
            \(fact("Files", total.files.grouped.english, "in \(directories)"))
            \(fact("Content", total.bytes.asBytes, "\(total.storedBytes.asBytes) on disk"))
            \(fact("Encrypted", encrypted, "of the bytes; \(sealedFiles)"))
            \(fact("Accounts unlocked", "\(open) of \(accounts.count)", "\(inUse) in use"))
            \(fact("Last verified", verified, lastVerify))
            </dl>
            """
    }
}

extension Int {
    fileprivate func counted(_ stem: String, _ one: String, _ many: String) -> String {
        "\(grouped.english) \(stem)\(self == 1 ? one : many)"
    }
}

/// One of the figures at the head of a page.
func fact(_ name: String, _ value: String, _ note: String) -> HTML {
    "<div><dt>\(name)</dt><dd>\(value)<small>\(note)</small></dd></div>"
}

func share(_ part: Int, of whole: Int) -> String {
    guard whole > 0 else { return "–" }
    let value = Double(part) * 100 / Double(whole)
    // Do not round to 0 % or 100 %.
    if part < whole, value > 99 { return "over 99 %" }
    return part > 0 && value < 1 ? "under 1 %" : "\(Int(value.rounded())) %"
}
