// How the documents of a machine differ from those that it should have.

internal import MAMFleet
internal import MAMModel

/// One document on one machine.
package struct Difference: Sendable, Hashable {
    package let kind: Kind
    package let slot: String
    /// The serial in the organisation's directory; nil if there is none.
    package let wanted: Int64?
    /// The serial that the machine reports; nil if it has none.
    package let found: Int64?
    /// Signed after the machine's report, so that it need not be missing any more.
    package let isOpen: Bool

    package enum Kind: String, Sendable, CaseIterable {
        case missing, behind
        /// A higher serial than there is here: this directory is an old one, or a key was stolen.
        case ahead
        /// A document for this machine that is not here.
        case unknown
        /// A document for a group that the machine is not in, which does no harm.
        case foreign
    }

    /// Whether it should be looked into.
    package var matters: Bool { kind != .foreign && !isOpen }

    static func all(
        of status: MachineStatus, of machine: MachineID, issued: Int64, _ wanted: Wanted
    ) -> [Difference] {
        var (rest, found) = (status.documents, [Difference]())
        for (slot, head) in wanted.documents(for: machine).joined() {
            let serial = rest.removeValue(forKey: slot)
            guard serial != head.serial else { continue }
            let kind: Kind = serial.map { $0 < head.serial ? .behind : .ahead } ?? .missing
            found.append(
                Difference(
                    kind: kind, slot: slot, wanted: head.serial, found: serial,
                    isOpen: kind != .ahead && head.issued >= issued))
        }
        for (slot, serial) in rest {
            guard let kind = kind(ofUnwanted: slot, wanted.groups(of: machine)) else { continue }
            found.append(
                Difference(kind: kind, slot: slot, wanted: nil, found: serial, isOpen: false))
        }
        if let root = root(status.rootSerial, wanted) { found.append(root) }
        return found.sorted { $0.slot < $1.slot }
    }

    private static func root(_ serial: Int64, _ wanted: Wanted) -> Difference? {
        guard serial != wanted.rootSerial else { return nil }
        return Difference(
            kind: serial < wanted.rootSerial ? .behind : .ahead, slot: "root/all/root",
            wanted: wanted.rootSerial, found: serial, isOpen: false)
    }

    /// Nil if it says nothing: times come and go daily.
    private static func kind(ofUnwanted text: String, _ groups: Set<String>) -> Kind? {
        guard let slot = Slot(text) else { return .unknown }
        if slot.kind == .time { return nil }
        if case .group(let name) = slot.audience, !groups.contains(name) { return .foreign }
        return .unknown
    }
}

/// The same difference on several machines.
package struct SharedDifference: Sendable {
    package let shared: Difference
    /// Indices into ``Survey/machines``.
    package let machines: [Int]
}

extension Survey {
    /// The differences of the machines that are included, the commonest first.
    package func differences(_ isIncluded: (SurveyedMachine) -> Bool) -> [SharedDifference] {
        var groups: [Difference: [Int]] = [:]
        for (index, machine) in machines.enumerated() where isIncluded(machine) {
            for difference in machine.differences {
                groups[difference.shared, default: []].append(index)
            }
        }
        return groups.map { SharedDifference(shared: $0, machines: $1) }.sorted { one, other in
            (other.machines.count, one.shared.slot, one.shared.found ?? 0)
                < (one.machines.count, other.shared.slot, other.shared.found ?? 0)
        }
    }
}

extension Difference {
    /// As others have it too: `KIND/machine/NAME`, without serials, of documents that each machine
    /// has one of its own of.
    fileprivate var shared: Difference {
        guard let parsed = Slot(slot), case .machine = parsed.audience else { return self }
        return Difference(
            kind: kind, slot: "\(parsed.kind.rawValue)/machine/\(parsed.name)", wanted: nil,
            found: nil, isOpen: isOpen)
    }
}
