// Determines files' classes, and updates files whose class is outdated.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy

/// Determines the class and key of a file, and wraps its key again.
package struct FileClasses: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// The rule for an account's files; nil: for a file whose account is unknown.
    func rule(of account: AccountID?) -> ClassRule {
        (account.map { vault.merged(of: $0) } ?? vault.mergedOfAll).classRule
    }

    /// The class of an account's managed file, given the requested class, if any.
    package func effectiveClass(
        asked: ProtectionClass?, of account: AccountID?
    ) -> ProtectionClass {
        rule(of: account).effectiveClass(asked: asked)
    }

    /// The class of the file with this header.
    package func effectiveClass(of sealing: FileHeader.Sealing) -> ProtectionClass {
        effectiveClass(asked: sealing.askedClass, of: vault.keyring.account(ofKey: sealing.keyID))
    }

    /// True for a file with an outdated class or a retired key, if its keys are loaded.
    package func isOutOfDate(_ header: FileHeader?) -> Bool {
        guard let header, let account = accountOfStaleKey(header) else { return false }
        return vault.windows[account]?.hasAllKeys ?? false
    }

    /// The account of a file with an outdated class or a retired key; nil for all others.
    package func accountOfStaleKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, let holder = vault.keyring.holder(ofKey: sealing.keyID)
        else { return nil }
        let effective = effectiveClass(asked: sealing.askedClass, of: holder.account)
        return holder.isRetired || sealing.protectionClass != effective ? holder.account : nil
    }

    /// The account of a file whose key an old header can unwrap; nil for all others.
    package func accountOfExposedKey(_ header: FileHeader) -> AccountID? {
        guard let sealing = header.sealing, sealing.isExposed else { return nil }
        return vault.keyring.account(ofKey: sealing.keyID)
    }
}
