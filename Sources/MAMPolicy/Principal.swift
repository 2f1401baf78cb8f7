// One side of a transfer.

package import MAMModel

/// An account for transfer decisions: its identity and its policy.
///
/// An unknown side, nobody, or an account without an organisation is unmanaged and unrestricted.
package struct Principal: Sendable {
    package let identity: Identity
    package let isManaged: Bool
    package let policy: EffectivePolicy

    package static func managed(_ identity: Identity, _ policy: EffectivePolicy) -> Principal {
        Principal(identity: identity, isManaged: true, policy: policy)
    }

    package static func unmanaged(_ identity: Identity) -> Principal {
        Principal(identity: identity, isManaged: false, policy: .unrestricted)
    }

    /// An unknown side.
    package static let nobody = unmanaged(.nobody)

    /// True if both are the same managed account; irrelevant for unmanaged ones.
    package func isSameAccount(as other: Principal) -> Bool {
        isManaged && other.isManaged && identity.matches(other.identity)
    }

    var rules: PolicyRules { policy.rules }
    var receivesFromAll: Bool { policy.inbound == .allApps }

    /// The answer for an account without a policy.
    var freedom: Decision { .yes("\(identity) is not managed: no policy restricts it") }
}

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
