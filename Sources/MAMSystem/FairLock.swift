// A lock that is fair between users (docs/adr/0036-fair-shares.md).

internal import MAMLocks
internal import MAMModel

/// A mutex for work that uses all of a resource, such as memory or the disk.
///
/// After a user held the lock for t seconds, its next request waits for t seconds. A user that asks
/// continuously thus holds the lock at most half of the time. Root and the daemon's user never
/// pause.
package final class FairLock: Sendable {
    private let machine = Shares(total: 1)
    /// One request per user at a time: the user's others wait for its pause, not for the machine.
    private let users = Shares(each: 1)
    private let pauses = Guarded<[UInt32: Deadline]>([:])

    package init() {}

    package func withLock<Result, Failure: Error>(
        for user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard Shares.bind(user) else { return try machine.withSlot(of: user, body) }
        return try users.withSlot(of: user) { () throws(Failure) in
            pauses.withLock { $0[user] }?.wait()
            return try machine.withSlot(of: user) { () throws(Failure) in
                let begin = Deadline.now
                defer { pause(user, since: begin) }
                return try body()
            }
        }
    }

    private func pause(_ user: UInt32, since begin: Deadline) {
        let end = Deadline(asFarAheadAs: begin)
        pauses.withLock { pauses in
            pauses = pauses.filter { !$0.value.hasPassed }
            pauses[user] = end
        }
    }
}
