// A report's section on policy: every rule in force, its source, and documents that set a looser
// value.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension ReportPage {
    var policies: HTML {
        // Group accounts with the same rules.
        var groups: [(accounts: [String], policy: Varlink.Policy.Show.Reply)] = []
        for (account, policy) in data.policies {
            if let same = groups.firstIndex(where: { $0.policy.rules == policy.rules }) {
                groups[same].accounts.append(account)
            } else {
                groups.append(([account], policy))
            }
        }
        guard !groups.isEmpty else {
            return """
                <section><h2>Policy in force</h2>
                <p>None: there is no account that the author of this report may see.</p></section>
                """
        }
        return """
            <section><h2>Policy in force</h2>
            <p class="soft">Where several documents speak of the same, the most restrictive value
            holds. What others asked for, and was looser, stands at the end.</p>
            \(groups.map { policy($0.accounts, $0.policy.rules.object ?? [:]) })
            \(refusedDocuments)</section>
            """
    }

    private func policy(_ accounts: [String], _ rules: [String: JSONValue]) -> HTML {
        let names = accounts.map { account -> HTML in "<bdi>\(account)</bdi>" }
        let title = names.dropFirst().reduce(names[0]) { $0 + ", " + $1 }
        guard !rules.isEmpty else {
            return "<h3>\(title)</h3><p>No policy restricts anything.</p>"
        }
        let rows = rules.sorted { $0.key < $1.key }.map { name, rule in row(name, rule) }
        return "<h3>\(title)</h3>"
            + htmlTable(
                rules.count.counted("rule").english,
                ["Rule", "Value", "From", "Overruled"], rows)
    }

    private func row(_ name: String, _ rule: JSONValue) -> [HTML] {
        let members = rule.object ?? [:]
        let from = (members["from"]?.array ?? []).compactMap(\.text)
        let looser = (members["looser"]?.array ?? []).map { entry -> HTML in
            let document = entry.object?["document"]?.text ?? ""
            return "<bdi>\(document)</bdi>: \(valueText(entry.object?["value"] ?? .null))"
        }
        return [
            "<code>\(breakable(name))</code>",
            "<strong>\(valueText(members["value"] ?? .null))</strong>",
            "<bdi>\(from.joined(separator: ", "))</bdi>",
            looser.isEmpty ? "–" : looser.dropFirst().reduce(looser[0]) { $0 + "; " + $1 },
        ]
    }

    /// Allows line breaks between the words of a camelCase name.
    private func breakable(_ name: String) -> HTML {
        name.reduce("" as HTML) { text, letter in
            letter.isUppercase ? text + "<wbr>\(String(letter))" : text + HTML(String(letter))
        }
    }

    private func valueText(_ value: JSONValue) -> String {
        switch value {
        case .bool(let truth): truth ? "yes" : "no"
        case .string(let text): text
        case .array(let values) where values.isEmpty: "none"
        case .array(let values): values.map(valueText).joined(separator: ", ")
        default: String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    private var refusedDocuments: HTML {
        guard let refused = data.policies.first?.policy.refused, !refused.isEmpty else {
            return ""
        }
        let rows = refused.map { document -> [HTML] in
            let since = localTime(document.since, "%Y-%m-%d %H:%M")
            return [
                "<bdi>\(document.file)</bdi>", HTML(document.reason), HTML(since),
                HTML(document.inForce ?? "nothing"),
            ]
        }
        return htmlTable(
            "Documents that are refused",
            ["File", "Why", "Since", "In force instead"], rows)
    }
}
