// An account's current enrolment.

internal import MAMCrypto
package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy

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
            isPolicyThere: !book.documents.isEmpty,
            objection: NameRights(vault).objection(
                to: identity, of: vault.keyring.uid(of: account) ?? 0)?.english,
            hasPassphrase: vault.keyring.hasPassphrase(account), settings: vault.rules.settings)
    }

    /// Those whose passphrase these policies hold to other rules. Whether it meets them is known
    /// when it is entered.
    package func heldToOtherRules(under book: PolicyBook) -> [Identity] {
        vault.keyring.accounts.filter { account in
            let (now, then) = (facts(of: account), facts(of: account, under: book))
            guard then.hasPassphrase, then.policy.pin.isRequired else { return false }
            return !now.policy.pin.isRequired || now.pinMark != then.pinMark
        }.map { vault.identity(of: $0) }
    }

    /// The consequence of further wrong passphrases; nil where policy sets none.
    package func outlookOnGuesses(_ account: AccountID) -> Message? {
        vault.enrollments.record(of: account)?.outlook(
            after: vault.keyring.failureCount(account), vault.policy(of: account).pin)
    }
}
