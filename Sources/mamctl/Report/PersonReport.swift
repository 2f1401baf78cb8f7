// `report --me`: the caller's accounts, what their organisation is told, and whom to ask.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

func reportOnCaller(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.refuse(["html", "days", "force"], with: "me")
    let report = try PersonReport(of: try invocation.daemon())
    if invocation.isJSON {
        printJSON(report.json)
    } else {
        printOut(verbatim: report.text(width: outputWidth))
    }
    return .success
}

private struct PersonReport {
    let status: StatusReport
    let accounts: [AccountReport]
    /// The organisation, and what it is told; nil if the workspace has joined none.
    let told: (to: Varlink.Fleet.Organization, Varlink.Fleet.Preview.Reply)?

    init(of daemon: Daemon) throws {
        status = try daemon.status()
        // Also for root, who may see all of them.
        accounts = status.accounts.filter { $0.uid == geteuid() }
        told = try daemon.call(Varlink.Fleet.Show()).organization.map {
            ($0, try daemon.call(Varlink.Fleet.Preview()))
        }
    }

    var json: JSONValue {
        [
            "workspace": .string(status.name), "accounts": accounts.json,
            "organization": told.map { .string(shown($0.to.name)) } ?? .null,
            "contact": JSONValue(told?.to.contact.map(shown)), "report": told?.1.json ?? .null,
        ]
    }

    func text(width: Int?) -> String {
        var lines = LabelledLines(width: width ?? .max)
        lines.add(titleOf: status)
        if accounts.isEmpty { lines.add("accounts", "none of yours is registered here") }
        for account in accounts {
            let account = AccountLines(account)
            lines.add(account)
            if account.blockReason != nil, account.next == nil, let whom = told?.to.helper {
                lines.add("next", "ask \(whom)")
            }
        }
        let alone: Message = "This workspace has joined no organisation: it reports to nobody."
        let rest = told.map { text(of: $0.1, to: $0.to, width: width) } ?? paragraph(alone, width)
        return "\(lines.text)\n\n\(rest)"
    }

    private func text(
        of preview: Varlink.Fleet.Preview.Reply, to organization: Varlink.Fleet.Organization,
        width: Int?
    ) -> String {
        let fetched: Message =
            preview.fetched.map { "the last one was fetched \((currentTime() - $0).asTimeAgo)" }
            ?? "none was fetched since the daemon started"
        let recoverable = accounts.filter(\.isRecoverable).map { shown($0.label) }
        let sentences: [Message?] = [
            "It gets the audit, too, which names files and programs: mamctl audit",
            recoverable.isEmpty
                ? nil
                : "It gets recovery records, with which it can open the files of"
                    + " \(recoverable.joined(separator: ", "))",
            "No report has the content of a file, or a passphrase.",
            "Whom to ask: \(organization.helper)",
        ]
        let head: Message = "What a report to \(shown(organization.name)) says now; \(fetched):"
        return [
            paragraph(head, width),
            table(rowsOfReport(preview), width: width),
            sentences.compactMap { $0.map { paragraph($0, width) } }.joined(separator: "\n"),
        ].joined(separator: "\n\n")
    }

    private func paragraph(_ text: Message, _ width: Int?) -> String {
        wrapped(words(of: text), width: width ?? .max)
    }
}

extension Varlink.Fleet.Organization {
    /// Its name, and the contact that it has named.
    fileprivate var helper: Message {
        .verbatim(shown(name) + (contact.map { ", \(shown($0))" } ?? ""))
    }
}
