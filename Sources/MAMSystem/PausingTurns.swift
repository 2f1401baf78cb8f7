// Orders users that wait for work that only one may do at a time (docs/adr/0036-fair-shares.md).

/// One turn at a time, for each takes all of something: memory, or the disk.
///
/// A user's next one begins no sooner than its last one took after that ended, so that a user who
/// asks without a pause has half of the time at most, and another finds the turn free every other
/// time. Root and the daemon's own user do not pause.
package final class PausingTurns: Sendable {
    private let machine = Shares(total: 1)
    /// One of each user: its others wait for its pause, and not for the machine.
    private let users = Shares(each: 1)
    private let pauses = Guarded<[UInt32: Deadline]>([:])

    package init() {}

    package func take<Result, Failure: Error>(
        for user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard Shares.bind(user) else { return try machine.withTurn(of: user, body) }
        return try users.withTurn(of: user) { () throws(Failure) in
            pauses.withLock { $0[user] }?.wait()
            return try machine.withTurn(of: user) { () throws(Failure) in
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
