// What waits to be written: bounded, and with what is the same told once.

package import MAMSystem

/// What makes two refusals the same.
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

    /// All of an account's that there was no room to tell one by one; of all accounts' with an
    /// empty name.
    func rest(of account: String) -> AuditKey {
        AuditKey(event, thread: 0, operation: "", account: account, reason: "")
    }
}

/// The state behind the trail's lock: nothing here takes long.
struct AuditRing {
    private struct Repeat {
        var record: AuditRecord
        /// How often it came again.
        var count = 0
        let end: Deadline
    }

    private var waiting: [AuditRecord] = []
    private var repeats: [AuditKey: Repeat] = [:]
    private var dropped = 0

    /// As many can wait for the disk.
    static let limit = 4096
    /// As many refusals are told one by one in the time of ``repeatSeconds``.
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

    /// True if it is one of those that were told already, and is counted.
    mutating func counts(_ key: AuditKey) -> Bool {
        if isCounted(key) { return true }
        guard repeats.count >= Self.repeatLimit else { return false }
        if isCounted(key.rest(of: key.account)) { return true }
        // Accounts may be too many too: callers name them as they like.
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

    /// Tells one of its kind, and counts those that follow.
    mutating func begin(_ key: AuditKey, _ record: AuditRecord) {
        add(record)
        repeats[key] = Repeat(record: record, end: Deadline(seconds: Self.repeatSeconds))
    }

    /// What is to be written now. `all`: what is still being counted too.
    mutating func take(all: Bool = false) -> [AuditRecord] {
        defer { waiting = [] }
        endRepeats(all: all)
        guard dropped > 0 else { return waiting }
        var loss = AuditRecord(.dropped)
        (loss.count, dropped) = (dropped, 0)
        loss.reason = "the disk was too slow to record them"
        return waiting + [loss]
    }

    /// The number of records that could not be stored: they are told of when it goes on.
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
