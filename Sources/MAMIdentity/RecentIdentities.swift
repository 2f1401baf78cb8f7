// A cache of identities by process, so that not every file access walks /proc.

internal import MAMModel
internal import MAMSystem

/// Results that hold while the process lives and the table is unchanged.
///
/// Also caches that nothing was found; otherwise a process with many ancestors would have all of
/// them read for each file.
final class RecentIdentities: Sendable {
    private struct Answer {
        let process: ProcessHandle
        let found: FoundIdentity?
        /// The revision of the table that it was derived from.
        let revision: UInt64
    }

    private let answers = Guarded<[Int32: Answer]>([:])

    /// Each entry costs a descriptor. At the limit the cache is emptied.
    private static let limit = 64

    /// Calls `search` if there is no entry for this thread and revision of the table.
    func found(
        forThread thread: Int32, _ revision: UInt64, orBy search: () -> FoundIdentity?
    ) -> FoundIdentity? {
        let known = answers.withLock { $0[thread] }
        if let known, known.revision == revision, known.process.isAlive { return known.found }
        // Before the search, so that its result belongs to this life. Only a process's first thread
        // has the process's id.
        let process = ProcessHandle(of: thread)
        let found = search()
        if let process { keep(Answer(process: process, found: found, revision: revision), thread) }
        return found
    }

    private func keep(_ answer: Answer, _ thread: Int32) {
        // Closed outside the lock.
        let gone = answers.withLock { answers in
            let gone = answers.count >= Self.limit ? answers : [:]
            if !gone.isEmpty { answers = [:] }
            answers[thread] = answer
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
