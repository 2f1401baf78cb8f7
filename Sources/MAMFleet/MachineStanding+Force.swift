// Which of the accepted documents are in force, and whether they are all.

internal import MAMModel

extension MachineStanding {
    /// A signed time counts for a day.
    private static let freshSeconds = secondsPerDay

    /// The groups of all memberships that are in force.
    package var membership: Membership { membership { _ in true } }

    /// Those of the memberships alone that enough order keys have signed, too: who chooses whom a
    /// policy covers chooses whom it wipes.
    package var orderedMembership: Membership { membership(where: isOrdered) }

    private func membership(where counts: (SignedDocument) -> Bool) -> Membership {
        var all = Membership()
        for document in documents.values where document.kind == .membership && counts(document) {
            guard
                document.statement.audience == .machine(machine)
                    || document.statement.audience == .all,
                let found = try? Membership(parsing: document.content)
            else { continue }
            all.groups.formUnion(found.groups)
            all.members.merge(found.members) { $0 + $1 }
        }
        return all
    }

    /// The policies for this machine, by name of slot. An empty one has been withdrawn. An
    /// expired one stays in force: without it less would be restricted.
    package var policies: [SignedDocument] { inForce(.policy) }

    /// What is asked of the machine's settings, by the same rules.
    package var settings: [SignedDocument] { inForce(.settings) }

    private func inForce(_ kind: DocumentKind) -> [SignedDocument] {
        let groups = membership.groups
        return documents.values.filter { document in
            document.kind == kind && !document.content(on: machine).isEmpty
                && document.statement.audience.includes(machine, in: groups)
        }.sorted { $0.slot.description < $1.slot.description }
    }

    /// Whether a policy may wipe on this machine: enough order keys have signed it, and that this
    /// machine is one of those that it is for.
    package func mayWipe(by policy: SignedDocument) -> Bool {
        isOrdered(policy)
            && policy.statement.audience.includes(machine, in: orderedMembership.groups)
    }

    /// Enough order keys have signed it, and not before a root took away what was in its place: a
    /// carrier may send what that had replaced.
    private func isOrdered(_ document: SignedDocument) -> Bool {
        document.isOrdered && document.statement.issued >= wipingSince[document.slot] ?? .min
    }

    /// From now on serials refuse what is older.
    mutating func forgetWipingSince(_ document: SignedDocument) {
        guard let since = wipingSince[document.slot], document.statement.issued >= since else {
            return
        }
        wipingSince[document.slot] = nil
    }

    /// Why a check-in does not count, or nil: a time that was signed within a day, all documents
    /// that it names, and none that has expired.
    package func staleness(at clock: Int64) -> Staleness? {
        guard let time = documents[Slot(.time, .all, SignedDocument.timeName)] else {
            return .noTime
        }
        let now = now(clock)
        guard now - time.statement.issued <= Self.freshSeconds else {
            return .oldTime(time.statement.issued)
        }
        // All at once, before one of them is missed for the time.
        let dropped = droppedDocuments
        guard dropped.isEmpty else { return .dropped(dropped) }
        let groups = membership.groups
        let heads = (try? SignedTime(parsing: time.content))?.heads ?? [:]
        for (slot, serial) in heads.sorted(by: { $0.key.description < $1.key.description })
        where slot.audience.includes(machine, in: groups) {
            let known =
                slot.kind == .root
                ? rootDocument.statement.serial : documents[slot]?.statement.serial ?? 0
            if known < serial { return .heldBack(slot, serial: serial) }
        }
        let expired = (documents.values + [rootDocument]).filter {
            $0.kind != .time && $0.statement.audience.includes(machine, in: groups)
                && $0.statement.expires ?? .max <= now
        }.sorted { $0.slot.description < $1.slot.description }.first
        return expired.map { .expired($0.slot, $0.statement.expires ?? 0) }
    }

    /// Policies and settings for this machine that a root has taken away with their key.
    package var droppedDocuments: [Slot] {
        let groups = membership.groups
        return dropped.keys.filter { $0.audience.includes(machine, in: groups) }
            .sorted { $0.description < $1.description }
    }

    /// On one line; those beyond ``maximumNamedCount`` are counted.
    package static func list(_ slots: [Slot]) -> String {
        let more = slots.count - maximumNamedCount
        return slots.prefix(maximumNamedCount).map(\.description).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    /// A thief may have signed a thousand.
    private static let maximumNamedCount = 50

    package enum Staleness: Error, Sendable, Equatable {
        case noTime
        case oldTime(Int64)
        case heldBack(Slot, serial: Int64)
        case dropped([Slot])
        case expired(Slot, Int64)
    }
}

extension MachineStanding.Staleness: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noTime: "the organisation has sent no time yet"
        case .oldTime(let issued):
            "the organisation's time is of \(rfc3339(issued)), more than a day ago"
        case .heldBack(let slot, let serial):
            "the organisation has \(slot) with serial \(serial), which did not arrive"
        case .dropped(let slots):
            "signed by a key that was taken away: \(MachineStanding.list(slots))"
        case .expired(let slot, let time): "\(slot) expired at \(rfc3339(time))"
        }
    }
}
