// Machines and accounts by their names, as the register and the machines' reports have them.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// Where no organisation's directory is, only ids are known.
final class FleetNames {
    private let directory: FleetDirectory?
    /// Read at the first name.
    private var entries: [RegisteredMachine]?

    /// Refuses a directory that was named and is none.
    init(of invocation: Invocation) throws(Failure) {
        do throws(Failure) { directory = try FleetDirectory(of: invocation) } catch {
            guard !invocation.arguments.has("organization"), error.status == .notFound else {
                throw error
            }
            directory = nil
        }
    }

    // MARK: From what people type

    /// `what`: who gave the text, as an error begins.
    func machine(_ text: String, _ what: Message) throws(Failure) -> MachineID {
        if Bytes16(hex: text) != nil { return try id(text, what) }
        let entries = try entries(for: text, what)
        let found = entries.filter { isNamed(text, $0) }
        guard let machine = found.first?.machine else {
            let names = didYouMean(text, in: entries.map { excerpt(of: $0.name) })
            throw Failure(
                .notFound, "\(what) is '\(shown(text))', which no machine is called\(names)",
                next: "mamctl fleet status --all lists them")
        }
        guard found.count == 1 else {
            throw ambiguous(text, what, found.map { words(for: $0.machine) })
        }
        return machine
    }

    func account(
        _ text: String, on machine: MachineID, _ what: Message
    ) throws(Failure) -> Bytes16 {
        if Bytes16(hex: text) != nil { return try id(text, what) }
        guard directory != nil else { throw unknown(text, what) }
        guard let status = reported(machine)?.status else {
            throw Failure(
                .notFound,
                "\(what) is '\(shown(text))', and \(words(for: machine)) has told no accounts",
                next: "name the account by its id")
        }
        let found = status.accounts.filter { $0.name.caseFolded == text.caseFolded }
        guard let account = found.first?.id else {
            let names = status.accounts.map { excerpt(of: $0.name) }.joined(separator: ", ")
            throw Failure(
                .notFound,
                names.isEmpty
                    ? "\(what) is '\(shown(text))', and \(words(for: machine)) has no accounts"
                    : "\(what) is '\(shown(text))', and \(words(for: machine)) has \(names)")
        }
        guard found.count == 1 else {
            throw ambiguous(text, what, found.map { words(for: $0.id, on: machine) })
        }
        return account
    }

    private func entries(
        for text: String, _ what: Message
    ) throws(Failure) -> [RegisteredMachine] {
        if let entries { return entries }
        guard let directory else { throw unknown(text, what) }
        do throws(OrganizationDirectory.Failure) {
            let found = try directory.place.registeredMachines()
            entries = found
            return found
        } catch { throw Failure(error) }
    }

    /// The status is read only where the register has no name.
    private func isNamed(_ text: String, _ entry: RegisteredMachine) -> Bool {
        entry.isNamed(text)
            || (entry.name.isEmpty && reported(entry.machine)?.isNamed(text) == true)
    }

    private func reported(_ machine: MachineID) -> ReportedMachine? {
        directory.flatMap { $0.place.machine(machine, in: $0.root.organization) }
    }

    private func unknown(_ text: String, _ what: Message) -> Failure {
        Failure(
            .usage, "\(what) is '\(shown(text))', not 32 hexadecimal digits",
            next: "for names name the organisation's directory: --organization DIR")
    }

    private func ambiguous(_ text: String, _ what: Message, _ candidates: [Message]) -> Failure {
        Failure(
            .usage,
            "\(what) is '\(shown(text))', which may be \(candidates.joined(separator: ", "))",
            next: "name it by its id")
    }

    // MARK: For people

    /// Nil if nobody has told one.
    func name(of machine: MachineID) -> String? {
        let label = reported(machine)?.label ?? ""
        return label.isEmpty ? nil : excerpt(of: label)
    }

    /// Name and id; the id alone where nobody has told a name.
    func words(for machine: MachineID) -> Message {
        .verbatim(name(of: machine).map { "\($0) (\(machine))" } ?? "\(machine)")
    }

    func words(for account: Bytes16, on machine: MachineID) -> Message {
        let accounts = reported(machine)?.status?.accounts ?? []
        guard let name = accounts.first(where: { $0.id == account })?.name else {
            return .verbatim("\(account)")
        }
        return .verbatim("\(excerpt(of: name)) (\(account))")
    }
}
