// Deregisters accounts.

internal import MAMAudit
internal import MAMCrypto
package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Deregisters an account; its keys stay.
package struct Deregistration: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Deregisters an account. Its sealed keys and its files stay; only a wipe destroys them.
    package func signOut(_ account: AccountID) -> EnrollmentStatus {
        vault.audit(.deregistered, account, "\(vault.identity(of: account)) was deregistered")
        Enrollment(tree).happen(.signedOut, to: account, as: .unenroll)
        vault.rules.forgetAccounts()
        return EnrollmentStatus(vault.identity(of: account), .unenrolled)
    }
}
