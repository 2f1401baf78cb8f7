// What the vault remembers of its accounts' enrolment, in memory and on disk.

internal import Glibc
internal import MAMEnrollment
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

/// The records, and what else enrolment needs. The vault's functions do the work; this has no
/// opinion.
///
/// Lock order: `settling` comes before the vault's `transitions`; the others are held for a moment,
/// over no call.
final class Enrollments: Sendable {
    let hooks: Hooks
    let probes: Probes
    /// Wakes the thread that waits for what is due.
    let wakeUp: WakeUpDescriptor
    /// Wakes the thread that locks what is not used.
    let idleWakeUp: WakeUpDescriptor
    /// How the policy source is read; nil before the daemon has told.
    let source = Mutex<(@Sendable () -> CheckInOutcome)?>(nil)
    /// No wipe is begun: the mount is read-only.
    let removesNothing = Atomic<Bool>(false)
    /// An account's blocks are put in force one at a time: the last that was found must be the one
    /// that stays.
    let settling = LockTable<AccountID>()
    let departed: DepartedNames
    private let store: EnrollmentStore?
    /// One file is written at a time: what was changed last must be what stays.
    private let saving = Mutex<Void>(())
    private let log: Log
    private let state: Guarded<State>

    private struct State: Sendable {
        var records: [AccountID: EnrollmentRecord] = [:]
        var saved: [AccountID: EnrollmentRecord] = [:]
        /// Those whose record a newer mamd wrote: it stays as it is.
        var newer: Set<AccountID> = []
        var clocks: [AccountID: ClockStatus] = [:]
        var lastUse: [AccountID: Int64] = [:]
        var obeyed = ObeyedRequests()
        /// The accounts that orders are for. One that is here still was not wiped: the daemon ended
        /// before that was decided.
        var begun: [String: AccountID] = [:]
        var obeyedReading: ClockReading
        var statedThreat: ThreatLevel?
        var hasForgottenOrders = false
    }

    /// A count that is not on disk for so long may be lost with the machine's power, but not with
    /// the daemon.
    fileprivate static let unsavedSeconds: Int64 = 600

    init(
        in stateDirectory: Int32?, _ accounts: [AccountID], _ settings: Settings, _ log: Log,
        at now: Moment
    ) throws(Errno) {
        hooks = Hooks(settings.hooks, log)
        probes = Probes(settings)
        wakeUp = try WakeUpDescriptor()
        idleWakeUp = try WakeUpDescriptor()
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

    /// Where there were no records at all an account is one of a version that had none, and counts
    /// as registered now. One that is missing among others tells as little as a damaged one.
    private func load(_ account: AccountID, at reading: ClockReading) {
        let record: EnrollmentRecord
        switch store?.load("\(account.bytes)") {
        case nil: record = EnrollmentRecord(at: reading)
        case .nothing:
            record =
                store?.isNew == true
                ? EnrollmentRecord(at: reading) : damaged(account, at: reading)
        case .value(let json) where EnrollmentRecord.isNewer(json):
            record = newer(account, at: reading)
        case .value(let json):
            record = EnrollmentRecord(json) ?? damaged(account, at: reading)
        case .damaged: record = damaged(account, at: reading)
        }
        state.withLock { $0.records[account] = record }
        save(account)
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
            "a newer mamd wrote enrollment/\(account.bytes), which is left as it is: the account is"
                + " "
                + "locked out at each start until mamctl account login; install that mamd")
        state.withLock { _ = $0.newer.insert(account) }
        return .strictest(at: reading)
    }

    private static let workspaceFile = "workspace"

    private func loadWorkspace(_ accounts: [AccountID]) {
        guard let found = store?.load(Self.workspaceFile) else { return }
        if case .nothing = found { return }
        var members: [String: JSONValue] = [:]
        if case .value(let json) = found { members = json.object ?? [:] }
        let obeyed = members["obeyed"].flatMap(ObeyedRequests.init)
        let begun = members["begun"]?.object ?? [:]
        state.withLock { state in
            state.obeyed = obeyed ?? ObeyedRequests()
            state.hasForgottenOrders = obeyed == nil
            for (id, account) in begun {
                guard accounts.contains(where: { account.text == "\($0.bytes)" }) else { continue }
                state.obeyed.forget(id)
            }
            state.statedThreat = members["threatLevel"]?.text.flatMap(ThreatLevel.init(rawValue:))
        }
        // Not to be asked again: whose keys are imported later was not there for these orders. What
        // is damaged stays so until the orders that are there are taken as obeyed.
        if obeyed != nil, !begun.isEmpty { saveWorkspace() }
        if obeyed == nil {
            log.error(
                "enrollment/\(Self.workspaceFile) is damaged: the wipe requests that are in the"
                    + " policy directory now are taken as done, and the threat level is unknown"
            )
        }
    }

    /// What tells which orders to wipe were obeyed is damaged.
    var hasForgottenOrders: Bool { state.withLock { $0.hasForgottenOrders } }

    /// Something may be due at another time than was thought.
    func wakeTimers() {
        wakeUp.signal()
        idleWakeUp.signal()
    }

    /// A wiped account may have been registered again, and must not be for an order of before.
    func takeAsObeyed(_ requests: [WipeRequest]) {
        state.withLock { state in
            for request in requests { state.obeyed.note(request.id) }
            state.hasForgottenOrders = false
        }
        saveWorkspace()
    }

    @discardableResult
    private func saveWorkspace() -> Bool {
        saving.withLock { _ in
            let (obeyed, begun, threat) = state.withLock { state in
                (
                    state.obeyed, state.begun.filter { state.obeyed.contains($0.key) },
                    state.statedThreat
                )
            }
            return write(
                [
                    "obeyed": obeyed.json,
                    "begun": .object(begun.mapValues { .string("\($0.bytes)") }),
                    "threatLevel": JSONValue(threat?.rawValue),
                ], as: Self.workspaceFile)
        }
    }

    // MARK: Records

    func record(of account: AccountID) -> EnrollmentRecord? {
        state.withLock { $0.records[account] }
    }

    /// Begins a record for a new account, on disk before this returns.
    func begin(_ account: AccountID, at now: Moment) {
        let record = EnrollmentRecord(at: ClockReading(now, boot: ClockReading.currentBoot))
        state.withLock { $0.records[account] = record }
        save(account)
    }

    /// Changes a record, and has it on disk before this returns if more than time has changed.
    func change<Result: Sendable>(
        _ account: AccountID, _ body: (inout EnrollmentRecord) -> Result
    ) -> Result? {
        let changed: (result: Result, isDue: Bool)? = state.withLock {
            state in
            guard var record = state.records[account] else { return nil }
            let result = body(&record)
            state.records[account] = record
            let isDue = state.saved[account].map { record.isWorthSaving(over: $0) } ?? true
            return (result, isDue)
        }
        if let changed, changed.isDue { save(account) }
        return changed?.result
    }

    /// What cannot be written is tried again with the next change.
    private func save(_ account: AccountID) {
        saving.withLock { _ in
            let record = state.withLock {
                $0.newer.contains(account) ? nil : $0.records[account]
            }
            guard let record,
                write(record.json, as: "\(account.bytes)")
            else { return }
            state.withLock { $0.saved[account] = record }
        }
    }

    /// At a clean end.
    func saveAll() {
        for account in state.withLock({ $0.records.keys }) { save(account) }
    }

    /// False if its file is still there.
    func remove(_ account: AccountID) -> Bool {
        state.withLock { state in
            state.records[account] = nil
            state.saved[account] = nil
            state.newer.remove(account)
            state.clocks[account] = nil
            state.lastUse[account] = nil
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

    private func write(_ value: JSONValue, as name: String) -> Bool {
        do throws(Errno) {
            try store?.save(value, as: name)
            return true
        } catch {
            log.error("enrollment/\(name) cannot be written: \(error)")
            return false
        }
    }

    // MARK: What is not in a record

    /// The status before.
    func note(_ clock: ClockStatus, of account: AccountID) -> ClockStatus? {
        state.withLock { $0.clocks.updateValue(clock, forKey: account) }
    }

    /// Seconds since the account was last used; a use now starts them anew.
    func idleSeconds(of account: AccountID, isUsed: Bool, now: Int64) -> Int64 {
        state.withLock { state in
            if isUsed || state.lastUse[account] == nil { state.lastUse[account] = now }
            return now - (state.lastUse[account] ?? now)
        }
    }

    /// False if it was obeyed before, or if nobody would know after a restart that it was: then it
    /// is for later. On disk before this returns.
    ///
    /// `account`: nil if there is none to be wiped.
    func begin(
        _ request: WipeRequest, for account: AccountID? = nil, at now: Moment
    ) -> Bool {
        let isNew = state.withLock { state in
            state.obeyed.pass(state.obeyedReading.advance(to: now, boot: ClockReading.currentBoot))
            defer { state.obeyed.note(request.id) }
            guard !state.obeyed.contains(request.id) else { return false }
            state.begun[request.id] = account
            return true
        }
        guard isNew else { return false }
        if !saveWorkspace() {
            forget(request.id)
            return false
        }
        return true
    }

    /// The account's end is decided: what is left to do no order is asked for. If its keys are
    /// imported later, that is after this one.
    func end(_ request: WipeRequest) {
        state.withLock { $0.begun[request.id] = nil }
        saveWorkspace()
    }

    /// It could not be obeyed, and is to be when it is read again.
    func takeBack(_ request: WipeRequest) {
        forget(request.id)
        saveWorkspace()
    }

    private func forget(_ id: String) {
        state.withLock { state in
            state.obeyed.forget(id)
            state.begun[id] = nil
        }
    }

    var statedThreat: ThreatLevel? {
        get { state.withLock { $0.statedThreat } }
        set {
            state.withLock { $0.statedThreat = newValue }
            saveWorkspace()
        }
    }
}

extension EnrollmentRecord {
    /// Counts can be made up for by the next look at the clocks, as long as these go on.
    fileprivate func isWorthSaving(over saved: EnrollmentRecord) -> Bool {
        var other = saved
        other.reading = reading
        other.sinceCheckIn = sinceCheckIn
        other.sinceAttempt = sinceAttempt
        other.sincePassphrase = sincePassphrase
        if sinceClockedOut != nil, other.sinceClockedOut != nil {
            other.sinceClockedOut = sinceClockedOut
        }
        other.launch = launch
        let passed = reading.secondsSinceBoot.subtractingReportingOverflow(
            saved.reading.secondsSinceBoot)
        // A check-in turns a count back.
        return other != self || sinceCheckIn < saved.sinceCheckIn
            || sinceAttempt < saved.sinceAttempt
            || sincePassphrase < saved.sincePassphrase || passed.overflow
            || passed.partialValue >= Enrollments.unsavedSeconds || passed.partialValue < 0
    }
}
