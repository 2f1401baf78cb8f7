// Policies here that wait for order keys, since they name a recovery key.

package import MAMFleet
package import MAMModel

/// What the time that was signed last names is in force: machines have accepted it, as versions did
/// that asked for no order key. What it does not name yet is held back, and neither sent nor named.
package struct OrderKeys: Sendable {
    private let root: Root
    /// By slot, the serials of that time.
    private let heads: [Slot: Int64]

    package enum Verdict: Sendable, Equatable {
        /// Machines accept it.
        case enough
        /// Machines that have it keep it, and others refuse it.
        case inForce(Refusal)
        /// All machines refuse it.
        case heldBack(Refusal)
    }

    /// `time`: the former one; its signatures do not matter, as it only tells what was sent.
    package init(by root: Root, since time: Envelope?) {
        self.root = root
        heads = time.flatMap { try? SignedTime(parsing: $0.content) }?.heads ?? [:]
    }

    package func verdict(on document: SignedDocument) -> Verdict {
        do throws(Refusal) { try document.requireOrderKeys(by: root) } catch {
            return hasInForce(document.slot, document.statement.serial)
                ? .inForce(error) : .heldBack(error)
        }
        return .enough
    }

    package func hasInForce(_ slot: Slot, _ serial: Int64) -> Bool {
        serial <= serialInForce(slot) ?? 0
    }

    /// Nil: machines have nothing of the slot.
    package func serialInForce(_ slot: Slot) -> Int64? { heads[slot] }
}

extension OrganizationDirectory {
    package func orderKeys(by root: Root) throws(Failure) -> OrderKeys {
        OrderKeys(by: root, since: try has(Self.time) ? try envelope(Self.time) : nil)
    }

    /// The files of `signed/` and `rings/` that order keys have yet to sign before any machine
    /// accepts them, in order.
    package func filesForOrderKeys(
        by root: Root, of organization: Bytes16
    ) throws(Failure) -> [String] {
        let orderKeys = try orderKeys(by: root)
        let steps = try waitingSteps().map(\.file)
        var found: [String] = []
        for name in try files(below: Self.signed) + steps {
            let envelope = try envelope(name)
            guard envelope.kind == .policy,
                let document = try? SignedDocument(envelope, by: root, of: organization),
                case .heldBack = orderKeys.verdict(on: document)
            else { continue }
            found.append(name)
        }
        return found
    }
}

extension OrganizationDirectory {
    /// The version that the time names of a document, `signed/NAME`, that is held back: a machine
    /// that joins meanwhile misses it otherwise, and is closed. Nil: there is none, or it has
    /// expired.
    func versionInForce(
        before document: SignedDocument, _ name: String, _ root: Root, _ orderKeys: OrderKeys,
        at now: Int64
    ) throws(Failure) -> SignedDocument? {
        guard let serial = orderKeys.serialInForce(document.slot) else { return nil }
        let former = formerFile(serial, of: name)
        guard try has(former) else { return nil }
        let envelope = try envelope(former)
        // One that only a key has signed that was taken away is of no use to any machine.
        guard
            let found = try? SignedDocument(
                envelope, by: root, of: document.statement.organization),
            found.slot == document.slot, found.statement.serial == serial,
            found.statement.expires ?? .max > now
        else { return nil }
        return found
    }
}

extension Rollout {
    /// Refuses a next step that machines would refuse.
    package func requireOrderKeys(
        in directory: OrganizationDirectory, by root: Root, of organization: Bytes16
    ) throws(OrganizationDirectory.Failure) {
        for step in next {
            do throws(Refusal) {
                let document = try SignedDocument(step.envelope, by: root, of: organization)
                try document.requireOrderKeys(by: root)
            } catch { throw directory.failure(step.file, error) }
        }
    }
}
