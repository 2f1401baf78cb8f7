// Policies here that wait for order keys, since they name a recovery key or take one away.

package import MAMFleet
package import MAMModel

/// What the time that was signed last names is in force: machines have accepted it, as versions did
/// that asked for no order key. What it does not name yet is held back, and neither sent nor named.
package struct OrderKeys: Sendable {
    private let root: Root
    /// By slot, the serials of that time.
    private let heads: [Slot: Int64]
    /// Has what was replaced; nil: what a policy takes away is not known.
    private let directory: OrganizationDirectory?

    package enum Verdict: Sendable, Equatable {
        /// Machines accept it.
        case enough
        /// Machines that have it keep it, and others refuse it.
        case inForce(Refusal)
        /// All machines refuse it.
        case heldBack(Refusal)
    }

    /// `time`: the former one; its signatures do not matter, as it only tells what was sent.
    package init(by root: Root, since time: Envelope?, in directory: OrganizationDirectory?) {
        (self.root, self.directory) = (root, directory)
        heads = time.flatMap { try? SignedTime(parsing: $0.content) }?.heads ?? [:]
    }

    /// `present`: what stands where the document will, as for a step that waits.
    package func verdict(
        on document: SignedDocument, over present: Envelope? = nil
    ) throws(OrganizationDirectory.Failure) -> Verdict {
        let (slot, serial) = (document.slot, document.statement.serial)
        // What is in force itself takes nothing away.
        let isChange = !document.isOrdered && slot.kind == .policy && !hasInForce(slot, serial)
        let replaced = isChange ? try inForce(before: document, over: present) : nil
        do throws(Refusal) {
            try document.requireOrderKeys(
                by: root, takingAway: replaced?.namesRecoveryKey ?? false)
        } catch {
            return hasInForce(slot, serial) ? .inForce(error) : .heldBack(error)
        }
        return .enough
    }

    /// The version to send while this one is held back: a machine that joins meanwhile misses it
    /// otherwise, and is closed. Nil: there is none, nobody has kept it, or a root took its key
    /// away.
    func versionInForce(
        before document: SignedDocument
    ) throws(OrganizationDirectory.Failure) -> SignedDocument? {
        try inForce(before: document, over: nil).flatMap {
            try? SignedDocument($0, by: root, of: document.statement.organization)
        }
    }

    /// The version that machines have: the one that the signed time names, or a newer one that
    /// enough order keys have signed. It was replaced here, or stands where this one will.
    private func inForce(
        before document: SignedDocument, over present: Envelope?
    ) throws(OrganizationDirectory.Failure) -> Envelope? {
        let (slot, first) = (document.slot, max(1, serialInForce(document.slot) ?? 1))
        guard first < document.statement.serial else { return nil }
        let serials = first..<document.statement.serial
        let former = try directory?.formerEnvelopes(slot, serials) ?? []
        return ([present].compactMap(\.self) + former).first { envelope in
            guard let serial = try? envelope.statement().serial, serials.contains(serial) else {
                return false
            }
            let found = try? SignedDocument(
                envelope, by: root, of: document.statement.organization)
            return hasInForce(slot, serial) || found?.isOrdered ?? false
        }
    }

    package func hasInForce(_ slot: Slot, _ serial: Int64) -> Bool {
        serial <= serialInForce(slot) ?? 0
    }

    /// Nil: machines have nothing of the slot.
    package func serialInForce(_ slot: Slot) -> Int64? { heads[slot] }
}

extension OrganizationDirectory {
    package func orderKeys(by root: Root) throws(Failure) -> OrderKeys {
        OrderKeys(by: root, since: try has(Self.time) ? try envelope(Self.time) : nil, in: self)
    }

    /// The files of `signed/` and `rings/` that order keys have yet to sign before any machine
    /// accepts them, in order.
    package func filesForOrderKeys(
        by root: Root, of organization: Bytes16
    ) throws(Failure) -> [String] {
        let orderKeys = try orderKeys(by: root)
        let steps = try waitingSteps()
        let places = Dictionary(steps.map { ($0.file, $0.place) }) { first, _ in first }
        var found: [String] = []
        for name in try files(below: Self.signed) + steps.map(\.file) {
            let envelope = try envelope(name)
            let present = try places[name].map { place throws(Failure) in try self.envelope(place) }
            guard envelope.kind == .policy,
                let document = try? SignedDocument(envelope, by: root, of: organization),
                case .heldBack = try orderKeys.verdict(on: document, over: present)
            else { continue }
            found.append(name)
        }
        return found
    }
}

extension Rollout {
    /// Refuses a next step that machines would refuse.
    package func requireOrderKeys(
        in directory: OrganizationDirectory, by root: Root, of organization: Bytes16
    ) throws(OrganizationDirectory.Failure) {
        for step in next {
            let present = try directory.envelope(step.place)
            do throws(Refusal) {
                let document = try SignedDocument(step.envelope, by: root, of: organization)
                try document.requireOrderKeys(by: root, takingAway: present.namesRecoveryKey)
            } catch { throw directory.failure(step.file, error) }
        }
    }
}
