// Giving an account's content to another owner.

package import MAMModel

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
