// Whether the content of a managed file may come to somebody else than its owner.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMPolicy

/// Refuses content to those whom policy gives none.
package struct Transfers: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// One side of a transfer: with the rules of its account, if it has one.
    package func principal(of identity: Identity) -> Principal {
        guard vault.registrant(of: identity) != nil else { return .unmanaged(identity) }
        return .managed(vault.canonical(identity), vault.policy(of: identity))
    }

    /// Refuses the content of a managed file to another identity, unless the owner's policy sends
    /// to all apps.
    ///
    /// `receiver` is looked up only where policy restricts.
    package func checkTransfer(
        of header: FileHeader?, to receiver: () -> Identity
    ) throws(VaultError) {
        // Of a file without a known key nothing can be read: that refusal says more.
        guard let sealing = header?.sealing,
            let account = vault.keyring.account(ofKey: sealing.keyID)
        else { return }
        try checkTransfer(from: account, to: receiver)
    }

    /// The same, of a file that this is known of.
    package func checkTransfer(
        of info: ProtectionInfo, to receiver: () -> Identity
    ) throws(VaultError) {
        guard info.isManaged, let account = vault.account(of: info.owner) else { return }
        try checkTransfer(from: account, to: receiver)
    }

    private func checkTransfer(
        from account: AccountID, to receiver: () -> Identity
    ) throws(VaultError) {
        let sendsToAll = vault.merged(of: account).sendsToAll
        // Otherwise the answer is yes, whoever asks.
        guard !sendsToAll else { return }
        let receiver = receiver()
        let isOwner = vault.account(of: receiver) == account
        guard !EffectivePolicy.letsRead(asOwner: isOwner, sendsToAll: sendsToAll) else { return }
        let owner = vault.identity(of: account)
        throw .refused(
            "it belongs to \(owner), whose policy shares nothing with \(receiver)",
            next: "mamctl run --identity \(owner) -- COMMAND")
    }
}
