// Taking an account from the list.

internal import MAMCrypto
package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Takes an account from the list; its keys stay.
package struct Deregistration: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Takes an account from the list. Its keys stay, sealed, and its files as they are: to destroy
    /// them is a wipe.
    package func signOut(_ account: AccountID) -> EnrollmentStatus {
        vault.audit(.deregistered, account, "\(vault.identity(of: account)) was deregistered")
        Enrollment(tree).happen(.signedOut, to: account, as: .unenroll)
        vault.forgetPolicies()
        return EnrollmentStatus(vault.identity(of: account), .unenrolled)
    }
}
