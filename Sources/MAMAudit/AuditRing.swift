// The queue of records to be written: bounded, with repetitions combined.

internal import MAMModel
package import MAMSystem

/// Refusals with equal keys are combined.
package struct AuditKey: Sendable, Hashable {
    package let event: LogMessage
    package let thread: Int32
    /// A number for the file; 0 for none.
    package let file: UInt64
    package let operation: String
    package let account: String
    /// One word, or the sentence.
    package let reason: String

    package init(
        _ event: LogMessage, thread: Int32, file: UInt64 = 0, operation: String,
        account: String = "", reason: String
    ) {
        self.event = event
        self.thread = thread
        self.file = file
        self.operation = operation
        self.account = account
        self.reason = reason
    }

    /// The key that combines an account's excess records; with an empty name, those of all
    /// accounts.
    func rest(of account: String) -> AuditKey {
        AuditKey(event, thread: 0, operation: "", account: account, reason: "")
    }
}

/// The state under the trail's lock: no operation here takes long.
struct AuditRing {
    private struct Repeat {
        var record: AuditRecord
        /// The number of repetitions.
        var count = 0
        let end: Deadline
    }

    private var waiting: [AuditRecord] = []
    private var repeats: [AuditKey: Repeat] = [:]
    private var dropped = 0

    /// The maximum number of records that wait for the disk.
    static let limit = 4096
    /// The maximum number of separate refusals per ``repeatSeconds``.
    static let repeatLimit = 128
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
        guard repeats.count >= Self.repeatLimit else { return false }
        if isCounted(key.rest(of: key.account)) { return true }
        // The accounts are limited too, because callers can name any.
        let account = repeats.count < 2 * Self.repeatLimit ? key.account : ""
        if isCounted(key.rest(of: account)) { return true }
        var rest = AuditRecord(key.event)
        rest.account = account.isEmpty ? nil : account
        rest.reason = "further events, too many to record one by one"
        repeats[key.rest(of: account)] = Repeat(
            record: rest, count: 1, end: Deadline(seconds: Self.repeatSeconds))
        return true
    }

    private mutating func isCounted(_ key: AuditKey) -> Bool {
        guard let index = repeats.index(forKey: key) else { return false }
        repeats.values[index].count += 1
        return true
    }

    /// Queues the first of its kind, and starts counting repetitions.
    mutating func begin(_ key: AuditKey, _ record: AuditRecord) {
        add(record)
        repeats[key] = Repeat(record: record, end: Deadline(seconds: Self.repeatSeconds))
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
            guard again.count > 0 else { continue }
            var record = again.record
            record.time = .now
            record.count = again.count
            add(record)
        }
    }
}
