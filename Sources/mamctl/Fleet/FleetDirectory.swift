// The organisation's directory, and the survey of what machines have reported there.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// The root that is in force, and where everything else is.
struct FleetDirectory {
    let place: OrganizationDirectory
    let root: FleetRoot

    init(of invocation: Invocation) throws(Failure) {
        place = try organization(of: invocation)
        root = try FleetRoot(of: invocation, orOf: place)
    }

    init(_ place: OrganizationDirectory, _ root: FleetRoot) {
        (self.place, self.root) = (place, root)
    }

    func survey(_ invocation: Invocation) throws(Failure) -> Survey {
        Survey(
            place, root: root.root, of: root.organization, serial: root.file.statement.serial,
            staleAfter: try duration("stale", invocation) ?? defaultStaleSeconds,
            at: Int64(currentTime()))
    }
}

private let defaultStaleSeconds: Int64 = 7 * secondsPerDay

/// Such as `90m`, `12h` or `7d`, in seconds.
func duration(_ option: String, _ invocation: Invocation) throws(Failure) -> Int64? {
    guard let text = try invocation.arguments.text(option) else { return nil }
    guard let seconds = seconds(of: text) else {
        throw invocation.misuse(
            "--\(option) is '\(shown(text))', not a time such as 12h or 7d")
    }
    return seconds
}

/// `90s`, `15m`, `2h`, `7d`.
func seconds(of text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), text.utf8.first != UInt8(ascii: "+"),
        let number = Int64(text.dropLast()), (0...1_000_000_000).contains(number)
    else { return nil }
    return number * unit
}

extension Survey {
    /// Those of `--machine`; nil without it.
    func machines(of invocation: Invocation) throws(Failure) -> [Int]? {
        guard let text = try invocation.arguments.text("machine") else { return nil }
        return try machines(named: text)
    }

    /// As people read them.
    var names: [MachineID: String] {
        Dictionary(
            machines.map { ($0.entry.machine, excerpt(of: $0.label)) }, uniquingKeysWith: { $1 })
    }

    /// By id, or the register's name.
    func machines(named text: String) throws(Failure) -> [Int] {
        let found = machines.indices.filter { machines[$0].isNamed(text) }
        guard !found.isEmpty else { throw unknownMachine(text) }
        return found
    }

    func unknownMachine(_ text: String) -> Failure {
        Failure(
            .notFound, "no machine has the id or the name '\(shown(text))'",
            next: "mamctl fleet status --all lists them")
    }
}

extension Option {
    static let machine = Option(
        "machine", value: "NAME", "this machine only: its id, or its name in the register")
    static let stale = Option("stale", value: "TIME", "without a report for so long (default: 7d)")
}
