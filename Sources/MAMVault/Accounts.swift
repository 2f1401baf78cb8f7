// Accounts as callers see them.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSettings

/// Reports on accounts.
package struct Accounts: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    package var all: [AccountStatus] { vault.keyring.accounts.map { status(of: $0) } }

    /// Nil if there is no such account any more.
    package func one(_ account: AccountID) -> AccountStatus? {
        vault.keyring.accounts.contains(account) ? status(of: account) : nil
    }

    private func status(of account: AccountID) -> AccountStatus {
        let user = vault.keyring.uid(of: account) ?? 0
        return AccountStatus(
            id: account, identity: vault.identity(of: account), user: user,
            state: vault.windows[account]?.state ?? .beforeFirstUnlock,
            hasPassphrase: vault.keyring.hasPassphrase(account),
            isDefault: !vault.rules.settings.multiIdentity
                && vault.defaultAccount(ofUser: user) == account,
            retryAfterSeconds: Int(vault.keyring.retryAfterSeconds(account)),
            isRecoverable: !RecoveryUpdates(vault).recoveryKeys(of: account).isEmpty,
            guessableSeconds: vault.keyring.hasPassphrase(account)
                ? guessableSeconds(under: vault.merged(of: account).policy) : nil,
            block: vault.block(of: account), enrollment: enrollment(of: account))
    }

    /// Assumes that a device secret from a systemd credential is not on the disk.
    private func guessableSeconds(under policy: EffectivePolicy) -> Int? {
        vault.keyring.hasSecretOfItsOwn ? policy.pin.guessableSeconds : nil
    }

    /// The result for these documents; nil if they have no rule about passphrases.
    package func guessableSeconds(under documents: [PolicyDocument]) -> Int? {
        let documents = documents.filter {
            $0.isProtectionInForce && $0.rules.pinRequired != nil
        }
        return documents.isEmpty ? nil : guessableSeconds(under: EffectivePolicy.merge(documents))
    }
}
