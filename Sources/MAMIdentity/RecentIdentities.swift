// A cache of identities by process, so that not every file access reads /proc.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// Results that hold while the process lives and its entry in the table is unchanged.
final class RecentIdentities: Sendable {
    struct Answer: Sendable {
        let process: ProcessHandle
        let life: ProcessLife
        let found: FoundIdentity?
        /// The version of the table that it was derived from.
        let version: UInt64
    }

    private let answers = Guarded<[UInt32: [Int32: Answer]]>([:])

    /// Each entry costs a descriptor. At a limit the user's are dropped, or another user's.
    private static let limitOfUser = 32, users = 8

    /// What was kept for the first thread of a process.
    func answer(forThread thread: Int32, of user: UInt32) -> Answer? {
        answers.withLock { $0[user]?[thread] }
    }

    func keep(_ answer: Answer, of user: UInt32) {
        // Closed outside the lock.
        let gone = answers.withLock { answers in
            var gone: [Int32: Answer] = [:]
            if answers[user]?.count ?? 0 >= Self.limitOfUser {
                gone = answers.removeValue(forKey: user) ?? [:]
            } else if answers[user] == nil, answers.count >= Self.users,
                let other = answers.keys.first
            {
                gone = answers.removeValue(forKey: other) ?? [:]
            }
            answers[user, default: [:]][answer.life.id] = answer
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
