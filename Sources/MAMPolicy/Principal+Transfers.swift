// Transfers between accounts: files, shared items, reading another account's file.

package import MAMModel

/// Whether data may be received, and its owner afterwards.
package struct Reception: Sendable, Equatable {
    package let decision: Decision
    /// It has no owner, and policy gives it to the receiver.
    package let becomesReceivers: Bool
}

extension Principal {
    /// `canReceiveSharedFile`: whether this account may receive a file of `owner`; nil for a file
    /// without an owner.
    package func canReceiveFile(of owner: Principal?) -> Reception {
        let decision = canReceive(from: owner ?? .nobody)
        let isTaken =
            owner == nil && isManaged && decision.isAllowed
            && rules.protectInboundDataFromUnknownSources == true
        return Reception(decision: decision, becomesReceivers: isTaken)
    }

    /// `canReceiveSharedItemProvider`: a shared item is not a file, so the receiving program has to
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

    /// Why a managed account's policy refuses to send to another; nil if it permits it.
    func refusalToGiveAway(to other: Principal) -> Decision? {
        guard isManaged, !isSameAccount(as: other), !policy.sendsToAll else { return nil }
        return .no("\(identity) does not send to \(other.identity)", by: Rule.outbound)
    }

    /// Why a managed account's policy refuses to receive from another; nil if it permits it.
    func refusalToTakeIn(from other: Principal) -> Decision? {
        guard isManaged, !isSameAccount(as: other), !receivesFromAll else { return nil }
        return .no("\(identity) does not receive from \(other.identity)", by: Rule.inbound)
    }
}

extension Principal {
    /// Whether content of this account may become another owner's. A plain copy has no owner: its
    /// receiver is nobody. Content that stays with its account is not given.
    package func canGive(to receiver: Principal) -> Decision {
        guard isManaged else { return freedom }
        if isSameAccount(as: receiver) { return .yes("it stays with \(identity)") }
        if receiver.isManaged { return receiver.canReceiveFile(of: self).decision }
        return canSave(to: .localDrive, of: nil)
    }

    /// Why a program that acts for `reader` gets no content of this account, which does not send to
    /// all.
    package func refusalToShow(to reader: Identity) -> Decision {
        .no(
            "it belongs to \(identity), whose policy shares nothing with \(reader)",
            by: Rule.outbound)
    }
}
