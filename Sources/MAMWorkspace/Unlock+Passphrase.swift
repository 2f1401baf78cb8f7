// The consequences of right and wrong passphrases.

internal import MAMAudit
internal import MAMCrypto
internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension Unlock {
    /// Unwraps the keys, and applies the consequences of the passphrase, right or wrong.
    func judgedKeys(
        of account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountKeys {
        let keys = try trying(account) { () throws(KeyringError) in
            try vault.keyring.openKeys(of: account, passphrase: passphrase)
        }
        if let passphrase { noteRight(passphrase, of: account) }
        return keys
    }

    /// Runs what tries the account's passphrase; a wrong one counts.
    func trying<Value>(
        _ account: AccountID, _ body: () throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        do throws(KeyringError) { return try body() } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
    }

    private func noteWrongPassphrase(of account: AccountID) {
        let count = vault.keyring.failureCount(account)
        vault.audit(
            .wrongPassphrase, account, "a wrong passphrase for \(vault.identity(of: account))"
        ) {
            $0.reason = "wrong passphrases one after the other: \(count)"
        }
        Enrollment(tree).happen(.wrongPassphrase(count: count), to: account, as: .policy)
    }

    private func noteRight(_ passphrase: SecretBytes, of account: AccountID) {
        let pin = vault.policy(of: account).pin
        let flaw = passphrase.withBytes { pin.flaw(in: $0) }
        Enrollment(tree).happen(.opened(flaw: flaw?.description), to: account, as: .policy)
    }
}
