// Whether the content of a managed file may come to somebody else than its owner.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy

extension Vault {
    /// Refuses the content of a managed file to another identity, unless the owner's policy sends to all apps.
    ///
    /// `receiver` is looked up only where policy restricts.
    package func checkTransfer(
        of header: FileHeader?, to receiver: () -> Identity
    ) throws(VaultError) {
        // Of a file without a known key nothing can be read: that refusal says more.
        guard let sealing = header?.sealing, let account = keyring.account(ofKey: sealing.keyID)
        else { return }
        try checkTransfer(from: account, to: receiver)
    }

    /// The same, of a file that this is known of.
    package func checkTransfer(
        of info: ProtectionInfo, to receiver: () -> Identity
    ) throws(VaultError) {
        guard info.isManaged, let account = account(of: info.owner) else { return }
        try checkTransfer(from: account, to: receiver)
    }

    private func checkTransfer(
        from account: AccountID, to receiver: () -> Identity
    ) throws(VaultError) {
        guard !merged(of: account).letsAllOut else { return }
        let receiver = receiver()
        guard self.account(of: receiver) != account else { return }
        let owner = keyring.identity(of: account)
        throw .refused(
            "it belongs to \(owner), whose policy gives nothing to \(receiver)",
            next: "mamctl run --identity \(owner) -- COMMAND")
    }
}
