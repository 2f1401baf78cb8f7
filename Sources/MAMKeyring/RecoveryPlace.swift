// The lock under which recovery records change.

internal import Synchronization

/// One workspace's recovery records.
package final class RecoveryPlace: Sendable {
    private let records = Mutex<RecoveryRecords?>(nil)

    package func use(_ records: RecoveryRecords) { self.records.withLock { $0 = records } }

    /// Nil on a read-only workspace. Taken alone, and held during changes of the records.
    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (RecoveryRecords?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try records.withLock { records throws(Failure) in try body(records) }
    }
}
