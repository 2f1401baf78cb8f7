// Logs in again after a block.

package import MAMCrypto
package import MAMEnrollment
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Unblocks an account after a lock-out.
package struct SignIn: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Ends a lock-out, or the second chance before an offline wipe: checks in, then verifies the
    /// passphrase.
    package func login(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> EnrollmentStatus {
        guard vault.isRegistered(account) else {
            return EnrollmentStatus(
                vault.identity(of: account), .notEnrolled, "it was deregistered")
        }
        vault.rules.userIDs.forget()
        if let objection = Accounts(vault).facts(of: account).objection {
            return EnrollmentStatus(vault.identity(of: account), .notAllowed, objection)
        }
        let lockCount = vault.lockCount(of: account)
        let outcome = CheckIn(tree).checkIn()
        guard outcome.isSuccess, let report = Accounts(vault).enrollment(of: account) else {
            return EnrollmentStatus(
                vault.identity(of: account),
                Accounts(vault).enrollment(of: account)?.status.code ?? .notEnrolled,
                outcome.reason)
        }
        let keys = try Unlock(tree).judgedKeys(of: account, passphrase: passphrase)
        if passphrase == nil {
            Enrollment(tree).happen(.opened(flaw: nil), to: account, as: .policy)
        }
        try Unlock(tree).bringToHand(keys, of: account, since: lockCount)
        return report.status
    }
}
