// The enrolment of the vault's accounts, in memory and on disk.

internal import Glibc
package import MAMEnrollment
internal import MAMLocks
package import MAMModel
package import MAMPolicy
package import MAMSettings
package import MAMSystem
internal import Synchronization

/// Reads the policies, unless the administrator's hook is against it.
package typealias PolicySource = @Sendable (HookAnswer) -> CheckInOutcome

/// Stores the records and other state of enrolment, without logic of its own.
///
/// Its own locks are held only briefly, across no call; ``registering(for:_:)`` says its place.
package final class Enrollments: Sendable {
    package let hooks: Hooks
    package let probes: LaunchProbes
    /// Of the thread that waits for due actions.
    package let dueActions: Alarm
    /// Of the thread that locks idle accounts.
    package let idleLocks: Alarm
    private let source = Mutex<PolicySource?>(nil)
    package let blocks = Blocks()
    package let departed: DepartedNames
    let store: EnrollmentStore?
    /// Serialises writes, so that the last change is the one that stays.
    let saving = Mutex<Void>(())
    private let registrations = LockTable<UInt32>()
    let log: Log
    let state: Guarded<State>

    struct State: Sendable {
        package var records: [AccountID: EnrollmentRecord] = [:]
        package var saved: [AccountID: EnrollmentRecord] = [:]
        /// Accounts whose record a newer mamd wrote, which stays unchanged.
        package var newer: Set<AccountID> = []
        var launchChecks: UInt64 = 0
        package var clocks: [AccountID: ClockStatus] = [:]
        package var lastUse: [AccountID: Int64] = [:]
        package var idleLocksTold: Set<AccountID> = []
        package var obeyed = ObeyedRequests()
        /// The accounts of wipe orders in progress. If such an account still exists at a start, its
        /// wipe was never decided.
        package var begun: [String: AccountID] = [:]
        package var obeyedReading: ClockReading
        package var statedThreat: ThreatLevel?
        /// The last answer of its probe.
        package var probedThreat: ThreatLevel?
        /// Why the last answer of a probe that is asked for is of no use, by setting; nil: it is.
        var probeFlaws: [String: String?] = [:]
        package var hasForgottenOrders = false

        func isWorthSaving(_ account: AccountID, _ record: EnrollmentRecord) -> Bool {
            saved[account].map { record.isWorthSaving(over: $0) } ?? true
        }
    }

    /// How much of a count may be lost with a power failure, though not with the daemon.
    static let unsavedSeconds: Int64 = 600

    package init(
        in stateDirectory: Int32?, _ accounts: [AccountID], _ settings: Settings, _ log: Log,
        at now: Moment
    ) throws(Errno) {
        hooks = Hooks(settings.hooks, log)
        probes = LaunchProbes(settings)
        dueActions = try Alarm()
        idleLocks = try Alarm()
        store = try stateDirectory.map { directory throws(Errno) in
            try EnrollmentStore(in: directory)
        }
        self.log = log
        departed = DepartedNames(in: store, settings.groups.values.joined(), log)
        let reading = ClockReading(now, boot: ClockReading.currentBoot)
        state = Guarded(State(obeyedReading: reading))
        for account in accounts { load(account, at: reading) }
        loadWorkspace(accounts)
    }

    /// One that is missing is treated like a damaged one, also if all are: whatever it counted
    /// must not be forgotten by losing it.
    private func load(_ account: AccountID, at reading: ClockReading) {
        let record: EnrollmentRecord
        switch store?.load("\(account.bytes)") {
        case nil: record = EnrollmentRecord(at: reading)
        case .value(let json) where EnrollmentRecord.isNewer(json):
            record = newer(account, at: reading)
        case .value(let json):
            if let saved = EnrollmentRecord(json) {
                return state.withLock { ($0.records[account], $0.saved[account]) = (saved, saved) }
            }
            record = damaged(account, at: reading)
        case .nothing, .damaged: record = damaged(account, at: reading)
        }
        state.withLock { $0.records[account] = record }
        save([account])
    }

    private func damaged(_ account: AccountID, at reading: ClockReading) -> EnrollmentRecord {
        log.error(
            "enrollment/\(account.bytes) is damaged or missing: the account is locked out until"
                + " mamctl account login"
        )
        return .strictest(at: reading)
    }

    private func newer(_ account: AccountID, at reading: ClockReading) -> EnrollmentRecord {
        log.error(
            "a newer mamd wrote enrollment/\(account.bytes), which is left as it is: the account"
                + " is "
                + "locked out at each start until mamctl account login; install that mamd")
        state.withLock { _ = $0.newer.insert(account) }
        return .strictest(at: reading)
    }

    /// How to read the policy source; nil until the daemon sets it.
    package var policySource: PolicySource? {
        get { source.withLock { $0 } }
        set { source.withLock { $0 = newValue } }
    }

    /// Something may be due earlier than expected.
    package func wakeTimers() {
        dueActions.ring()
        idleLocks.ring()
    }

    // MARK: Records

    package func record(of account: AccountID) -> EnrollmentRecord? {
        state.withLock { $0.records[account] }
    }

    /// Serialises a user's registrations. Taken before all other locks.
    package func registering<Result, Failure: Error>(
        for user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try registrations.withLock(user, body)
    }

    /// Creates a new account's record, durably.
    package func begin(_ account: AccountID, at now: Moment) {
        let record = EnrollmentRecord(at: ClockReading(now, boot: ClockReading.currentBoot))
        state.withLock { $0.records[account] = record }
        save([account])
    }

    /// When a changed record is written.
    package enum Saving: Sendable {
        /// Durably before the change returns, if more than running counts changed.
        case now
        /// With many others, by ``saveChanged()``. Until then a crash undoes it.
        case later
    }

    package func change<Result: Sendable>(
        _ account: AccountID, saving: Saving = .now, _ body: (inout EnrollmentRecord) -> Result
    ) -> Result? {
        let changed: (result: Result, isDue: Bool)? = state.withLock {
            state in
            guard var record = state.records[account] else { return nil }
            let result = body(&record)
            state.records[account] = record
            return (result, saving == .now && state.isWorthSaving(account, record))
        }
        if let changed, changed.isDue { save([account]) }
        return changed?.result
    }

    package func saveChanged() {
        save(
            state.withLock { state in
                state.records.filter { state.isWorthSaving($0.key, $0.value) }.map(\.key)
            })
    }

    /// At a clean shutdown.
    package func saveAll() {
        save(state.withLock { [AccountID]($0.records.keys) })
    }

    /// A failed write is retried with the next change.
    private func save(_ accounts: [AccountID]) {
        guard let store, !accounts.isEmpty else { return }
        saving.withLock { _ in
            let records = state.withLock { state in
                accounts.filter { !state.newer.contains($0) }.compactMap { account in
                    state.records[account].map { (account, $0) }
                }
            }
            let failed = store.save(records.map { ("\($0.bytes)", $1.json) })
            for (name, error) in failed {
                log.error("enrollment/\(name) cannot be written: \(error)")
            }
            state.withLock { state in
                for (account, record) in records where failed["\(account.bytes)"] == nil {
                    state.saved[account] = record
                }
            }
        }
    }

    /// False if the file still exists.
    package func remove(_ account: AccountID) -> Bool {
        state.withLock { state in
            state.records[account] = nil
            state.saved[account] = nil
            state.newer.remove(account)
            state.clocks[account] = nil
            state.lastUse[account] = nil
            state.idleLocksTold.remove(account)
        }
        return saving.withLock { _ in
            do throws(Errno) {
                try store?.remove("\(account.bytes)")
                return true
            } catch {
                log.warning("enrollment/\(account.bytes) could not be removed: \(error)")
                return false
            }
        }
    }

    func write(_ value: JSONValue, as name: String) -> Bool {
        do throws(Errno) {
            try store?.save(value, as: name)
            return true
        } catch {
            log.error("enrollment/\(name) cannot be written: \(error)")
            return false
        }
    }

    // MARK: State outside the records

    /// The number of a launch check, to be taken before anything that it judges is read.
    package func numberLaunchCheck() -> UInt64 {
        state.withLock { state in
            state.launchChecks += 1
            return state.launchChecks
        }
    }

    /// Returns the previous status.
    package func note(_ clock: ClockStatus, of account: AccountID) -> ClockStatus? {
        state.withLock { $0.clocks.updateValue(clock, forKey: account) }
    }
}

// When a changed record is written.
extension EnrollmentRecord {
    /// False if only running counts changed: those can be recomputed from the clocks.
    func isWorthSaving(over saved: EnrollmentRecord) -> Bool {
        var other = saved
        other.reading = reading
        other.sinceCheckIn = sinceCheckIn
        other.sinceAttempt = sinceAttempt
        other.sincePassphrase = sincePassphrase
        if sinceClockedOut != nil, other.sinceClockedOut != nil {
            other.sinceClockedOut = sinceClockedOut
        }
        if sinceSignIn != nil, other.sinceSignIn != nil { other.sinceSignIn = sinceSignIn }
        (other.launch, other.launchCheck) = (launch, launchCheck)
        let passed = reading.secondsSinceBoot.subtractingReportingOverflow(
            saved.reading.secondsSinceBoot)
        guard !passed.overflow, (0..<Enrollments.unsavedSeconds).contains(passed.partialValue)
        else { return true }
        // A check-in resets a count. One that was saved shortly before need not be saved again: the
        // account then only seems to have been offline for longer, until the start checks in.
        let most = Enrollments.unsavedSeconds - passed.partialValue
        return other != self || sinceSignIn ?? .max < (saved.sinceSignIn ?? .max) - most
            || sinceCheckIn < saved.sinceCheckIn - most
            || sinceAttempt < saved.sinceAttempt - most || sincePassphrase < saved.sincePassphrase
    }
}
