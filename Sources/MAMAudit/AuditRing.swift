// The queue of records to be written: bounded, with repetitions combined.

internal import MAMModel
internal import MAMSystem

/// Refusals with equal keys are combined.
package struct AuditKey: Sendable, Hashable {
    package let event: LogMessage
    /// Nil for the daemon's own, which a caller may have caused.
    package let user: UInt32?
    package let thread: Int32
    /// A number for the file; 0 for none.
    package let file: UInt64
    package let operation: String
    package let account: String
    /// One word, or the sentence.
    package let reason: String

    package init(
        _ event: LogMessage, user: UInt32? = nil, thread: Int32 = 0, file: UInt64 = 0,
        operation: String, account: String = "", reason: String
    ) {
        self.event = event
        self.user = user
        self.thread = thread
        self.file = file
        self.operation = operation
        self.account = account
        self.reason = reason
    }

    /// The key that combines a user's excess records about an account; with an empty name, those
    /// about all accounts.
    func rest(of account: String, of user: UInt32?) -> AuditKey {
        AuditKey(event, user: user, operation: "", account: account, reason: "")
    }
}

/// The state under the trail's lock: no operation here takes long.
struct AuditRing {
    private struct Repeat {
        var record: AuditRecord
        /// The number of repetitions.
        var count: Int
        let end: Deadline
    }

    private var waiting: [AuditRecord] = []
    private var repeats: [AuditKey: Repeat] = [:]
    /// How many of them each user has.
    private var held: [UInt32?: Int] = [:]
    private var dropped = 0

    /// The maximum number of records that wait for the disk.
    static let limit = 4096
    /// The maximum number of separate refusals of a user per ``repeatSeconds``, and of all users:
    /// a user gets another while it has fewer than are left (docs/adr/0036-fair-shares.md).
    static let repeatLimit = 128
    static let sharedLimit = 4096
    static let repeatSeconds = 10

    var hasRepeats: Bool { !repeats.isEmpty }

    mutating func add(_ record: AuditRecord) {
        guard waiting.count < Self.limit else {
            dropped += record.count
            return
        }
        waiting.append(record)
    }

    /// Counts a repetition; false if the key is new.
    mutating func counts(_ key: AuditKey) -> Bool {
        if isCounted(key) { return true }
        let (own, left) = (held[key.user] ?? 0, Self.sharedLimit - repeats.count)
        if own < min(Self.repeatLimit, left) { return false }
        if isCounted(key.rest(of: key.account, of: key.user)) { return true }
        // The accounts are limited too, because callers can name any; and users can be many.
        let rest = key.rest(
            of: own < min(2 * Self.repeatLimit, left) ? key.account : "",
            of: left > 0 ? key.user : nil)
        if isCounted(rest) { return true }
        var record = AuditRecord(key.event)
        record.account = rest.account.isEmpty ? nil : rest.account
        record.caller = rest.user.map { AuditCaller(uid: $0, process: nil) }
        record.reason = "further events, too many to record one by one"
        keep(record, count: 1, for: rest)
        return true
    }

    private mutating func keep(_ record: AuditRecord, count: Int, for key: AuditKey) {
        let new = Repeat(record: record, count: count, end: Deadline(seconds: Self.repeatSeconds))
        if repeats.updateValue(new, forKey: key) == nil { held[key.user, default: 0] += 1 }
    }

    private mutating func isCounted(_ key: AuditKey) -> Bool {
        guard let index = repeats.index(forKey: key) else { return false }
        repeats.values[index].count += 1
        return true
    }

    /// Queues the first of its kind, and starts counting repetitions.
    mutating func begin(_ key: AuditKey, _ record: AuditRecord) {
        add(record)
        keep(record, count: 0, for: key)
    }

    /// Removes the records to be written now. `all`: including those still being counted.
    mutating func take(all: Bool = false) -> [AuditRecord] {
        defer { waiting = [] }
        endRepeats(all: all)
        guard dropped > 0 else { return waiting }
        var loss = AuditRecord(.dropped)
        (loss.count, dropped) = (dropped, 0)
        loss.reason = "the disk was too slow to record them"
        return waiting + [loss]
    }

    /// Counts records that could not be stored, to be reported once storing works again.
    mutating func lose(_ count: Int) { dropped += count }

    private mutating func endRepeats(all: Bool) {
        let ended = repeats.filter { all || $0.value.end.hasPassed }
        for (key, again) in ended {
            repeats[key] = nil
            held[key.user, default: 0] -= 1
            if held[key.user] == 0 { held[key.user] = nil }
            guard again.count > 0 else { continue }
            var record = again.record
            record.time = .now
            record.count = again.count
            add(record)
        }
    }
}
