// When an account will be locked, and how long it has been idle.

package import MAMEnrollment
internal import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem

extension Accounts {
    /// Nil for an account that is not unlocked, or has no limit.
    package func idle(_ account: AccountID) -> IdleTime? {
        guard let windows = vault.windows[account], windows.state == .unlocked else {
            return nil
        }
        let facts = facts(of: account)
        guard let limit = idleLimit(facts) else { return nil }
        let seconds = vault.enrollments.idleSeconds(
            of: account, isUsed: windows.takeUse(), now: vault.clock.now.secondsSinceBoot)
        return IdleTime(seconds: seconds, limit: limit, recheck: facts.recheckSeconds)
    }

    /// Seconds; nil if neither policy nor the settings have one.
    package func idleLimit(_ facts: EnrollmentFacts) -> Int64? {
        let lock =
            vault.rules.settings.idleLockSeconds > 0
            ? Int64(vault.rules.settings.idleLockSeconds) : nil
        return [facts.recheckSeconds, lock].compactMap(\.self).min()
    }

    /// The number of files in use per account, according to their windows: asking the files could
    /// block on a disk.
    package var openFileCounts: [AccountID: Int] {
        let accounts = vault.windows.owners
        return vault.openFiles.all.reduce(into: [AccountID: Int]()) { counts, file in
            guard let window = file.window, let account = accounts[ObjectIdentifier(window)]
            else { return }
            counts[account, default: 0] += 1
        }
    }

    package func outlook(of account: AccountID) -> AccountOutlook {
        var outlook = AccountOutlook()
        if let windows = vault.windows[account] {
            outlook.openClasses = ProtectionClass.allCases.filter {
                windows.window($0).allowsOpen
            }
            outlook.graceSeconds = windows.graceSeconds
        }
        let identity = vault.identity(of: account)
        outlook.containedPrograms = vault.identities.contained.count { $0.matches(identity) }
        outlook.idleSeconds = idle(account).map { Int($0.left) }
        if let record = currentRecord(of: account) {
            let facts = facts(of: account)
            let left = record.secondsToOfflineEnds(facts)
            outlook.sinceCheckIn = Int(record.sinceCheckIn)
            (outlook.offlineBlockSeconds, outlook.offlineWipeSeconds) =
                (left.block.map { Int($0) }, left.wipe.map { Int($0) })
            if facts.hasPassphrase {
                outlook.lastTry = record.consequence(
                    ofWrongAfter: vault.keyring.failureCount(account), facts)
            }
        }
        outlook.policies = vault.policy(of: account).sources.map(\.label)
        return outlook
    }

    /// The record with the current counts: the stored one dates from the last event.
    package func currentRecord(of account: AccountID) -> EnrollmentRecord? {
        guard var record = vault.enrollments.record(of: account) else { return nil }
        _ = record.step(.time, facts(of: account), at: vault.clock.now)
        return record
    }
}

/// Seconds count from now, except ``sinceCheckIn``. Nil means never.
package struct AccountOutlook: Sendable, Equatable {
    /// Files of these classes can be opened.
    package var openClasses: [ProtectionClass] = []
    package var openFiles = 0
    package var containedPrograms = 0
    /// Until the current grace period ends.
    package var graceSeconds: Int?
    /// Until an account with idle files is locked or has to enter its passphrase again.
    package var idleSeconds: Int?
    package var sinceCheckIn: Int?
    /// Until it is blocked, and until it is wiped, if no check-in succeeds.
    package var offlineBlockSeconds: Int?
    package var offlineWipeSeconds: Int?
    /// The policy documents that cover it; nil where the caller may not see them.
    package var policies: [String]?
    /// What the next wrong passphrase leads to.
    package var lastTry: GuessConsequence?

    package init() {}
}
