// Records events: accepts them at once, and writes them on its own thread.

internal import CShims
internal import Glibc
package import MAMModel
package import MAMSystem
internal import Synchronization

/// One workspace's audit.
///
/// Adding an event never waits for the disk. A crash of the daemon or the machine loses the last
/// second.
package final class AuditTrail: Sendable {
    private let ring = Mutex(AuditRing())
    /// Held during writes. Nil if nothing is stored.
    private let store: Mutex<AuditStore?>
    private let directory: Descriptor?
    /// Serialises reads, because each needs memory for a whole file and any user may request any
    /// number of them.
    private let reading = Mutex(())
    private let log: Log
    private let wakeUp: WakeUpDescriptor?
    private let hub = Hub<AuditRecord>()
    private let isStoring = Atomic<Bool>(true)
    /// The call that each thread currently serves.
    private let calls = Mutex<[Int32: Call]>([:])

    private struct Call {
        let caller: @Sendable () -> AuditCaller
        var isRefusalRecorded = false
    }

    /// `state`: the state directory; nil to write only to the journal. `maximumByteCount`: 0 means
    /// the same.
    package init(inState state: Int32?, maximumByteCount: Int, log: Log) {
        self.log = log
        let directory = maximumByteCount > 0 ? state.flatMap { Self.directory(in: $0, log) } : nil
        self.directory = directory
        store = Mutex(
            directory.flatMap { directory in
                do throws(Errno) {
                    return try AuditStore(in: directory, maximumByteCount: maximumByteCount)
                } catch {
                    log.error("the audit cannot be written: \(error)")
                    return nil
                }
            })
        wakeUp = try? WakeUpDescriptor()
    }

    private static func directory(in state: Int32, _ log: Log) -> Descriptor? {
        do throws(Errno) {
            if mkdirat(state, "audit", 0o700) != 0, Errno.current != .exists { throw Errno.current }
            return try openFile(at: state, "audit", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            log.error("the audit cannot be written: \(error)")
            return nil
        }
    }

    /// Starts the writing thread.
    package func start() throws(Errno) {
        guard let wakeUp else { return }
        try startThread(named: "audit") { [weak self] in
            var pauseEnd = Deadline.now
            while Self.wait(for: wakeUp, self?.nextLook, until: pauseEnd), let trail = self {
                if trail.write() { pauseEnd = Deadline(milliseconds: Self.pauseMilliseconds) }
            }
        }
    }

    deinit { wakeUp?.signal() }

    /// Adds a record that is not combined with others. Returns the journal fields; the caller
    /// writes that line.
    package func add(_ record: AuditRecord) -> [LogField: String] {
        var record = record
        if record.caller == nil { record.caller = caller }
        record.scrub(by: log.rules)
        ring.withLock { [record] in $0.add(record) }
        wakeUp?.signal()
        return record.fields
    }

    /// Adds a record that a program can cause repeatedly: the first is stored, then the number of
    /// repetitions.
    ///
    /// `record`: evaluated only for the first.
    package func add(_ key: AuditKey, _ record: () -> AuditRecord) {
        if ring.withLock({ $0.counts(key) }) { return }
        var record = record()
        if record.caller == nil { record.caller = caller }
        record.scrub(by: log.rules)
        ring.withLock { [record] in $0.begin(key, record) }
        wakeUp?.signal()
    }

    /// Attributes the records of `body` to a caller, which is looked up only if there are any.
    package func acting<Value>(
        as caller: @escaping @Sendable () -> AuditCaller, _ body: () throws -> Value
    ) rethrows -> Value {
        let thread = mam_thread_id()
        let old = calls.withLock { $0.updateValue(Call(caller: caller), forKey: thread) }
        defer { calls.withLock { $0[thread] = old } }
        return try body()
    }

    private var caller: AuditCaller? { calls.withLock { $0[mam_thread_id()] }?.caller() }

    /// Tells that a record says already why this thread's call is refused.
    package func noteRefusal() {
        calls.withLock { $0[mam_thread_id()]?.isRefusalRecorded = true }
    }

    package var isRefusalRecorded: Bool {
        calls.withLock { $0[mam_thread_id()]?.isRefusalRecorded == true }
    }

    /// Waits until earlier records are written; false if the deadline passes first.
    @discardableResult
    package func flush(by deadline: Deadline) -> Bool {
        finishes(by: deadline, named: "audit-flush") { self.write() }
    }

    /// Writes the remaining records at shutdown.
    package func finish(by deadline: Deadline) {
        _ = finishes(by: deadline, named: "audit-flush") { self.write(all: true) }
    }

    /// The stored records, oldest first.
    package func records(
        where isWanted: (AuditRecord) -> Bool
    ) throws(Errno) -> [AuditRecord] {
        guard let directory else { return [] }
        return try reading.withLock { _ throws(Errno) in
            flush(by: Deadline(seconds: 2))
            return try AuditStore.records(in: directory, where: isWanted)
        }
    }

    /// The first `limit` stored records with numbers above `after`, in order, and the last number
    /// that there is. The records up to that are all written: none appears between them later.
    package func records(
        after: Int64, atMost limit: Int
    ) throws(Errno) -> (records: [AuditRecord], last: Int64) {
        guard let directory else { return ([], 0) }
        return try reading.withLock { _ throws(Errno) in
            flush(by: Deadline(seconds: 2))
            let last = store.withLock { $0?.nextSequence ?? 1 } - 1
            guard after < last else { return ([], last) }
            let found = try AuditStore.records(
                in: directory, after: after, upTo: last, atMost: limit)
            return (found, last)
        }
    }

    package func subscribe() throws(Errno) -> Subscription<AuditRecord> { try hub.subscribe() }
}

extension AuditTrail {
    /// Between two writes.
    private static let pauseMilliseconds = 200

    /// In milliseconds; -1 to wait without a limit.
    private var nextLook: Int32 { ring.withLock { $0.hasRepeats } ? 1000 : -1 }

    /// Waits until something may have to be written: the first record after a pause at once,
    /// because somebody may be waiting to be told; those of a burst together.
    private static func wait(
        for wakeUp: WakeUpDescriptor, _ milliseconds: Int32?, until pauseEnd: Deadline
    ) -> Bool {
        guard let milliseconds else { return false }
        var waiting = pollfd(fd: wakeUp.descriptor.raw, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, milliseconds) > 0 {
            pauseEnd.wait()
            // Only now: what came meanwhile is written with the rest.
            wakeUp.clear()
        }
        return true
    }

    /// False if there was nothing to write.
    @discardableResult
    private func write(all: Bool = false) -> Bool {
        store.withLock { store in
            var records = ring.withLock { $0.take(all: all) }
            guard !records.isEmpty else { return false }
            do throws(Errno) {
                try store?.append(&records)
                if !isStoring.exchange(true, ordering: .relaxed) {
                    log.info("the audit can be written again")
                }
            } catch {
                ring.withLock { [count = records.count] in $0.lose(count) }
                if isStoring.exchange(false, ordering: .relaxed) {
                    log.error("the audit cannot be written: \(error)")
                }
            }
            for record in records {
                if record.event.isOften {
                    log.tellOften(record.event, record.fields, record.text)
                }
                hub.send(record)
            }
            return true
        }
    }
}
