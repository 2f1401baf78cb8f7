// What the help desk sees of a machine that asks for somebody's new passphrase: a machine's word on
// whose account it has proves nothing.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

struct ResetAsker {
    let machine: SurveyedMachine
    let account: MachineStatus.Account
    let directory: FleetDirectory
    let survey: Survey

    /// What is typed to agree; never empty.
    private var label: String {
        let names = [account.name, account.objectID, account.id.description]
        return names.first { !$0.isEmpty } ?? ""
    }
    private var name: String { excerpt(of: label) }
    private static let namedCount = 5

    /// Refused unless the account's name is typed, or `--yes` given.
    func confirm(_ invocation: Invocation) throws {
        printError(verbatim: table(rows, width: nil))
        if invocation.arguments.has("yes") { return }
        let refusal: Message = "nothing was signed"
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .refused, refusal,
                next: "add --yes if this is the machine of the person whom you have on the line")
        }
        let typed = try Terminal.askOpenly(
            "Type the account's name if this is that person's machine")
        guard let text = typed.text, text.caseFolded == label.caseFolded else {
            throw Failure(.failure, refusal)
        }
    }

    private var rows: [[Message]] {
        let entry = machine.entry
        let host = excerpt(of: machine.status?.host ?? "")
        return [
            ["account", "\(name) (\(account.id.description)), as the machine says"],
            ["machine", "\(entry.shownName) (\(entry.machine.description)), calls itself \(host)"],
            ["admitted", admission], ["invited", invitation],
        ] + namesakes
    }

    private var admission: Message {
        let entry = machine.entry
        let time = rfc3339(entry.admitted)
        let days = Int(max(0, survey.time - entry.admitted) / secondsPerDay)
        let age: Message = days == 0 ? "today" : "\(days.counted("day")) ago"
        let signers = signers.map(\.description).joined(separator: ", ")
        return signers.isEmpty
            ? "\(time), \(age); no signed membership says by whom"
            : "\(time), \(age); its groups are signed by \(signers)"
    }

    /// The keys that have signed the membership of this machine alone.
    private var signers: [Bytes16] {
        let audience = Audience.machine(machine.entry.machine)
        let names = (try? directory.place.files(below: OrganizationDirectory.signed)) ?? []
        let found = names.filter { $0.contains("\(machine.entry.machine)") }.compactMap {
            try? SignedDocument(
                directory.place.envelope($0), by: directory.root.root,
                of: directory.root.organization)
        }
        return Set(
            found.filter { $0.kind == .membership && $0.statement.audience == audience }
                .flatMap { $0.envelope.signatures.map(\.key) }
        ).sorted { $0.description < $1.description }
    }

    private var invitation: Message {
        let records = (try? directory.place.invitationRecords()) ?? []
        guard let record = records.first(where: { $0.id == machine.entry.invitation }) else {
            return "its invitation is not on record"
        }
        let note: Message =
            record.note.isEmpty ? "without a note" : "for \"\(excerpt(of: record.note))\""
        return "\(note), \(rfc3339(record.created))"
    }

    /// Accounts of the same name or object id elsewhere, that of the machine known longest first:
    /// one of them may be another person's.
    private var namesakes: [[Message]] {
        let machines = survey.machines.filter { other in
            other.entry.machine != machine.entry.machine && !other.isRevoked
                && (other.status?.accounts ?? []).contains(where: isNamesake)
        }.sorted { $0.entry.admitted < $1.entry.admitted }
        let rows = machines.prefix(Self.namedCount).map { other -> [Message] in
            let whose = "\(other.entry.shownName) (\(other.entry.machine))"
            let time = rfc3339(other.entry.admitted)
            return ["beware", "\(name) is on \(whose), too, admitted \(time)"]
        }
        let rest = machines.count - rows.count
        guard rest > 0 else { return rows }
        return rows + [["beware", "\(name) is on \(rest.counted("machine")) more"]]
    }

    private func isNamesake(_ other: MachineStatus.Account) -> Bool {
        other.name.caseFolded == account.name.caseFolded && !account.name.isEmpty
            || !account.objectID.isEmpty && other.objectID.isSameFolded(account.objectID)
    }
}
