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
        guard let sealing = header?.sealing, let account = keyring.account(ofKey: sealing.keyID),
            policy(of: account).outbound != .allApps
        else { return }
        let receiver = receiver()
        guard self.account(of: receiver) != account else { return }
        let owner = keyring.identity(of: account)
        throw .refused(
            "it belongs to \(owner), whose policy gives nothing to \(receiver); run: mamctl run --identity \(owner) -- COMMAND"
        )
    }
}
