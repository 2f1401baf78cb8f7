// Which class a file gets, and bringing files to it that have another.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy

/// Tells which class and key a file is to have, and wraps its key anew.
package struct FileClasses: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// For an account's files; nil: for a file whose account is not known yet.
    func rule(of account: AccountID?) -> ClassRule {
        (account.map { vault.merged(of: $0) } ?? vault.mergedOfAll).classRule
    }

    /// The class that a managed file of an account gets, for which `asked` was asked, or nothing.
    package func effectiveClass(
        asked: ProtectionClass?, of account: AccountID?
    ) -> ProtectionClass {
        rule(of: account).effectiveClass(asked: asked)
    }

    /// The class that the file of this header gets.
    package func effectiveClass(of sealing: FileHeader.Sealing) -> ProtectionClass {
        effectiveClass(asked: sealing.askedClass, of: vault.keyring.account(ofKey: sealing.keyID))
    }

    /// True for a file that has another class than policy and settings now say, or a retired key,
    /// and whose keys are at hand.
    package func isOutOfDate(_ header: FileHeader?) -> Bool {
        guard let header, let account = accountOfStaleKey(header) else { return false }
        return vault.windows(of: account)?.hasAllKeys ?? false
    }

    /// The account of a file that has another class than policy and settings now say, or whose key
    /// is wrapped with one that is retired; nil for all others.
    package func accountOfStaleKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, let holder = vault.keyring.holder(ofKey: sealing.keyID)
        else { return nil }
        let effective = effectiveClass(asked: sealing.askedClass, of: holder.account)
        return holder.isRetired || sealing.protectionClass != effective ? holder.account : nil
    }

    /// The account of a file whose key is opened by bytes that are no more the file's; nil for all
    /// others.
    package func accountOfExposedKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, sealing.isExposed else { return nil }
        return vault.keyring.account(ofKey: sealing.keyID)
    }
}
