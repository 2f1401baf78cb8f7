// How the machines of a ring were before its policies came.

package import MAMFleet
internal import MAMModel

/// `rings/rollout.json`. A machine is compared with itself: what was wrong before is not the
/// policy's doing.
struct RolloutRecord: Sendable, Equatable {
    /// When the step was published, in seconds since 1970.
    let since: Int64
    let machines: [MachineID: Before]

    struct Before: Sendable, Equatable {
        /// Whether check-ins counted.
        var checksIn: Bool
        /// The accounts that were not blocked, and those that met their conditions.
        var open: Set<Bytes16>
        var compliant: Set<Bytes16>
    }

    static let maximumByteCount = 16 << 20
    private static let maximumValueCount = 1_000_000

    init(since: Int64, _ machines: [SurveyedMachine]) {
        self.since = since
        self.machines = Dictionary(
            machines.compactMap { machine in
                machine.status.map { (machine.entry.machine, Before($0)) }
            }, uniquingKeysWith: { first, _ in first })
    }

    init(parsing bytes: [UInt8]) throws(Refusal) {
        let json = try JSONValue(
            bytes, atMost: Self.maximumValueCount, orElse: "it is no JSON")
        var members = Members(json, of: "the rollout")
        since = try members.time("since")
        let found = try members.take("machines", "an object") { $0.object }
        try members.requireEmpty()
        var machines: [MachineID: Before] = [:]
        for (id, value) in found {
            guard let id = Bytes16(hex: id) else {
                throw .malformed("the rollout's machine \(id.prefix(40)) is no id")
            }
            machines[id] = try Before(value)
        }
        self.machines = machines
    }

    var json: JSONValue {
        [
            "since": .string(rfc3339(since)),
            "machines": .object(
                Dictionary(
                    machines.map { ($0.key.description, $0.value.json) },
                    uniquingKeysWith: { first, _ in first })),
        ]
    }
}

extension RolloutRecord.Before {
    fileprivate init(_ status: MachineStatus) {
        checksIn = status.problem == nil
        open = Set(status.accounts.filter(\.isOpen).map(\.id))
        compliant = Set(status.accounts.filter(\.compliant).map(\.id))
    }

    fileprivate init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "a machine of the rollout")
        checksIn = try members.take("checksIn", "true or false") { $0.bool }
        open = Set(try members.take("open", "ids of accounts") { $0.elements(hexID) })
        compliant = Set(try members.take("compliant", "ids of accounts") { $0.elements(hexID) })
        try members.requireEmpty()
    }

    fileprivate var json: JSONValue {
        [
            "checksIn": .bool(checksIn), "open": JSONValue(texts: open.map(\.description).sorted()),
            "compliant": JSONValue(texts: compliant.map(\.description).sorted()),
        ]
    }
}

extension MachineStatus.Account {
    /// Whether nothing blocks it; it may be locked.
    var isOpen: Bool { window != .blocked && blockedBy == nil }
}

extension OrganizationDirectory {
    /// Notes how the machines that a ring will have are now.
    package func noteRollout(
        of rings: [(Audience, Ring?)], _ survey: Survey, at now: Int64
    ) throws(Failure) {
        let machines = survey.machines.filter { machine in
            rings.contains { audience, ring in
                survey.isFor(machine, audience) && ring?.includes(machine.entry.machine) ?? true
            }
        }
        try writePrivately(Self.rollout, lines(RolloutRecord(since: now, machines).json))
    }

    func rolloutRecord() throws(Failure) -> RolloutRecord {
        try read(Self.rollout, atMost: RolloutRecord.maximumByteCount) { bytes throws(Refusal) in
            try RolloutRecord(parsing: bytes)
        }
    }
}

/// Which documents of `signed/` went out later than they were signed: all steps of a push by rings
/// are signed at once.
struct PublishedSteps {
    private let directory: OrganizationDirectory
    /// When the newest step went out, in seconds since 1970; nil: none has, or by a clock ahead.
    private let since: Int64?

    init(_ directory: OrganizationDirectory, at now: Int64) {
        self.directory = directory
        // One that cannot be read, the rollout tells.
        let since = (try? directory.rolloutRecord())?.since
        self.since = since.flatMap { $0 <= now + Judge.toleratedSeconds ? $0 : nil }
    }

    /// When machines could first fetch it, in seconds since 1970.
    func time(of document: SignedDocument) -> Int64 {
        let issued = document.statement.issued
        guard let since, since > issued, document.kind == .policy,
            document.statement.ring != nil || followsRing(document)
        else { return issued }
        return since
    }

    /// Whether the last document before it had a ring: it is the step that is for all.
    private func followsRing(_ document: SignedDocument) -> Bool {
        let former = directory.formerStatements(serial: document.statement.serial - 1)
        return former.contains { $0.slot == document.slot && $0.statement.ring != nil }
    }
}
