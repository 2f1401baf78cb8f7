// Accounts as callers see them.

internal import MAMCrypto
package import MAMEnrollment
internal import MAMFormat
package import MAMKeyring
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
            isRecoverable: RecoveryUpdates(vault).isRecoverable(account),
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

/// One account and its state.
package struct AccountStatus: Sendable {
    package let id: AccountID
    package let identity: Identity
    /// The user that registered it.
    package let user: UInt32
    package let state: WindowState
    package let hasPassphrase: Bool
    /// True for the default owner of what ``user`` creates.
    package let isDefault: Bool
    package let retryAfterSeconds: Int
    /// Policy names a recovery key, or named one that order keys keep: the organisation can open
    /// its files.
    package var isRecoverable = false
    /// How long someone with the disk needs to guess the weakest passphrase that policy allows;
    /// nil: over a month.
    package var guessableSeconds: Int?
    package var block: AccountBlock?
    package var enrollment: EnrollmentReport?
}

extension AccountStatus {
    /// For an account that no longer exists.
    package init(_ wipe: WipeIntent) {
        self.init(
            id: wipe.account, identity: wipe.identity, user: wipe.uid, state: .locked,
            hasPassphrase: false, isDefault: false, retryAfterSeconds: 0)
    }

    /// What other users may know. The rest is as of any account with a passphrase.
    package var withNameAndStateOnly: AccountStatus {
        AccountStatus(
            id: id, identity: identity, user: user, state: state, hasPassphrase: true,
            isDefault: false, retryAfterSeconds: 0)
    }
}

/// An account's enrolment as callers see it.
package struct EnrollmentReport: Sendable {
    package let stage: EnrollmentRecord.Stage
    package let status: EnrollmentStatus
    package let secondsSinceCheckIn: Int64
    /// The conditions that are not met, including those that only warn.
    package let findings: [LaunchFinding]
}

extension Accounts {
    package func enrollment(of account: AccountID) -> EnrollmentReport? {
        currentRecord(of: account).map { record in
            EnrollmentReport(
                stage: record.stage,
                status: EnrollmentStatus(vault.identity(of: account), record.code),
                secondsSinceCheckIn: record.sinceCheckIn, findings: record.launch.findings)
        }
    }

    /// `book`: nil for the policies in force.
    package func facts(
        of account: AccountID, under book: PolicyBook? = nil
    ) -> EnrollmentFacts {
        let identity = vault.identity(of: account)
        let book = book ?? vault.policies
        return EnrollmentFacts(
            policy: book.policy(for: identity), isCovered: book.covers(identity),
            objection: NameRights(vault).objection(
                to: identity, of: vault.keyring.uid(of: account) ?? 0)?.english,
            hasPassphrase: vault.keyring.hasPassphrase(account), settings: vault.rules.settings)
    }

    /// Those whose passphrase these policies hold to other rules. Whether it meets them is known
    /// when it is entered.
    package func heldToOtherRules(under book: PolicyBook) -> [Identity] {
        vault.keyring.accounts.filter { account in
            let (now, then) = (facts(of: account), facts(of: account, under: book))
            return then.hasPassphrase && then.policy.pin.asksAnew(since: now.policy.pin)
        }.map { vault.identity(of: $0) }
    }

    /// The consequence of further wrong passphrases; nil where policy sets none.
    package func outlookOnGuesses(_ account: AccountID) -> Message? {
        vault.enrollments.record(of: account)?.outlook(
            after: vault.keyring.failureCount(account), vault.policy(of: account).pin)
    }
}
