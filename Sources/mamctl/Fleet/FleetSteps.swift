// The documents that one change of a push signs: one, or one for each ring.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

struct SteppedDocument {
    /// In the directory.
    private let name: String
    /// The serial that it replaces.
    private let former: Int64?
    private let steps: [(share: Int, file: FleetFile)]
    var slot: Slot { steps[0].file.slot }
    /// Whom the first step of a new rollout is for.
    let newRing: (Audience, Ring?)?

    init(
        _ change: PolicyChange, _ plan: RingPlan?, _ organization: Bytes16,
        _ validity: (issued: Int64, expires: Int64), in directory: OrganizationDirectory
    ) throws {
        var name = change.former?.file ?? file(for: change.slot)
        // Of another slot, such as a membership of that name.
        if change.former == nil, try directory.has(name) {
            let other = try FleetFile(reading: directory.whole(name))
            guard other.slot != change.slot else { throw Failure(signedMeanwhile: other) }
            name = name.replacing("/", with: "/\(change.slot.kind.rawValue)@", maxReplacements: 1)
        }
        let path = directory.whole(name)
        let waiting = try directory.waitingSteps().filter { $0.slot == change.slot }
        let steps = change.steps(plan, waiting: waiting.map(\.share))
        let highest = try directory.highestSerial(of: change.slot, change.former)
        let hasRoom = highest ?? 0 <= .max - Int64(steps.count)
        let serial = try nextSerial(
            of: path, after: hasRoom ? highest : .max, at: validity.issued)
        self.steps = try steps.enumerated().map { index, step in
            let file = try FleetFile(
                path, change.slot, step.content, of: organization, serial: serial + Int64(index),
                issued: validity.issued, expires: validity.expires, ring: step.ring)
            return (step.share, file)
        }
        (self.name, former) = (name, change.former?.serial)
        newRing = plan != nil && change.goesByRings ? (change.slot.audience, steps[0].ring) : nil
    }

    func sign(
        _ key: FleetKey, in directory: OrganizationDirectory, as event: LogEntry.Event
    ) throws {
        if try former != nil || directory.has(name) {
            let present = try FleetFile(reading: directory.whole(name))
            guard present.statement.serial == former else {
                throw Failure(signedMeanwhile: present)
            }
        }
        let envelopes = try steps.map { try signed($0.file, key) }
        let waiting = zip(steps, envelopes).dropFirst()
        try directory.replace(
            signed: name, with: envelopes[0].encoded(),
            then: waiting.map { ($0.share, $1.encoded()) })
        directory.note(
            [LogEntry(event, name, envelopes[0])]
                + waiting.map { step, envelope in
                    let file = OrganizationDirectory.stepFile(step.share, of: name)
                    return LogEntry(event, file, envelope)
                })
    }

    private func signed(_ file: FleetFile, _ key: FleetKey) throws -> Envelope {
        var file = file
        try key.sign(&file.envelope)
        do throws(Refusal) { _ = try Envelope(parsing: file.envelope.encoded()) } catch {
            throw Failure(
                .usage, "\(file.slot): not signed, no machine would accept it: \(error)",
                next: "make smaller policies of it")
        }
        return file.envelope
    }
}

extension Failure {
    fileprivate init(signedMeanwhile file: FleetFile) {
        self.init(
            .refused, "\(file.path.shown): somebody else has signed it meanwhile",
            next: "run this again, and see what is left to change")
    }
}

/// No two slots have the same: a group's name has no `@`.
private func file(for slot: Slot) -> String {
    let name = slot.name.hasSuffix(".json") ? slot.name : "\(slot.name).json"
    return switch slot.audience {
    case .all: "\(OrganizationDirectory.signed)/\(name)"
    case .group(let group): "\(OrganizationDirectory.signed)/\(group)@\(name)"
    case .machine(let id): "\(OrganizationDirectory.signed)/\(id)@\(name)"
    }
}

extension OrganizationDirectory {
    /// The highest serial that was signed in a slot: steps that wait may be in other hands.
    func highestSerial(
        of slot: Slot, _ present: SignedPolicy?
    ) throws(OrganizationDirectory.Failure) -> Int64? {
        let waiting = try waitingSteps().filter { $0.slot == slot }.map(\.statement.serial).max()
        return [waiting, present?.serial].compactMap(\.self).max()
    }
}
