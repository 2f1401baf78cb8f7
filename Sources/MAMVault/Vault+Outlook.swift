// What a person wants to know of an account at a glance: what is open, and for how long.

internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// How many files of each account are in use. Told by their windows: asking a file itself would
    /// wait for a disk that does not answer.
    package var openFileCounts: [AccountID: Int] {
        let accounts = windows.withLock { windows in
            windows.reduce(into: [ObjectIdentifier: AccountID]()) { accounts, entry in
                for window in entry.value.all { accounts[ObjectIdentifier(window)] = entry.key }
            }
        }
        return openFiles.all.reduce(into: [AccountID: Int]()) { counts, file in
            guard let window = file.window, let account = accounts[ObjectIdentifier(window)]
            else { return }
            counts[account, default: 0] += 1
        }
    }

    package func outlook(of account: AccountID) -> AccountOutlook {
        var outlook = AccountOutlook()
        if let windows = windows(of: account) {
            outlook.openClasses = ProtectionClass.allCases.filter {
                windows.window($0).allowsOpen
            }
            outlook.graceSeconds = windows.graceSeconds
        }
        outlook.idleSeconds = idle(account).map { Int(max(0, $0.limit - $0.seconds)) }
        if let record = currentRecord(of: account) {
            let left = record.secondsToOfflineEnds(facts(of: account))
            outlook.sinceCheckIn = Int(record.sinceCheckIn)
            (outlook.offlineBlockSeconds, outlook.offlineWipeSeconds) =
                (left.block.map { Int($0) }, left.wipe.map { Int($0) })
        }
        outlook.policies = policy(of: account).sources.map(\.label)
        return outlook
    }

    /// As it is now: the one that is kept was written when something last happened.
    func currentRecord(of account: AccountID) -> EnrollmentRecord? {
        guard var record = enrollments.record(of: account) else { return nil }
        _ = record.step(.time, facts(of: account), at: clock.now)
        return record
    }
}
