// From one account to another: files, shared items, reading another's file.

package import MAMModel

/// Whether something may come in, and whose it is then.
package struct Reception: Sendable, Equatable {
    package let decision: Decision
    /// It has no owner, and policy makes it the receiver's.
    package let becomesReceivers: Bool
}

extension Principal {
    /// `canReceiveSharedFile`: whether a file of `owner` may come to this account; nil for a file
    /// that says nothing of an owner.
    package func canReceiveFile(of owner: Principal?) -> Reception {
        let decision = canReceive(from: owner ?? .nobody)
        let isTaken =
            owner == nil && isManaged && decision.isAllowed
            && rules.protectInboundDataFromUnknownSources == true
        return Reception(decision: decision, becomesReceivers: isTaken)
    }

    /// `canReceiveSharedItemProvider`: a shared item is not a file, so that its program must
    /// protect it.
    package func canReceiveItem(of owner: Principal?) -> Decision {
        canReceive(from: owner ?? .nobody)
    }

    private func canReceive(from owner: Principal) -> Decision {
        if isSameAccount(as: owner) {
            return policy.inbound == .noApps
                ? .no("\(identity) may receive from no program", by: Rule.inbound)
                : .yes("it belongs to \(identity) already", by: Rule.inbound)
        }
        if let refusal = owner.refusalToGiveAway(to: self) ?? refusalToTakeIn(from: owner) {
            return refusal
        }
        guard isManaged else { return freedom }
        return .yes("\(identity) may receive from all programs", by: Rule.inbound)
    }

    /// What a managed account says to data of its own that another is to have; nil if it agrees.
    func refusalToGiveAway(to other: Principal) -> Decision? {
        guard isManaged, !isSameAccount(as: other), !policy.sendsToAll else { return nil }
        return .no("\(identity) does not send to \(other.identity)", by: Rule.outbound)
    }

    /// What a managed account says to another's data; nil if it agrees.
    func refusalToTakeIn(from other: Principal) -> Decision? {
        guard isManaged, !isSameAccount(as: other), !receivesFromAll else { return nil }
        return .no("\(identity) does not receive from \(other.identity)", by: Rule.inbound)
    }
}
