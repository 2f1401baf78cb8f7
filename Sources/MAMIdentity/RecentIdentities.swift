// What was found for processes lately, so that each of their files does not cost a walk through
// /proc.

internal import MAMModel
internal import MAMSystem

/// Answers that hold as long as the process lives and nothing is changed in the table that they
/// come from.
///
/// That nothing was found is kept too: who has a long line of ancestors would have all of them
/// looked at for each file.
final class RecentIdentities: Sendable {
    private struct Answer {
        let process: ProcessHandle
        let found: FoundIdentity?
        /// Of the table that it comes from.
        let revision: UInt64
    }

    private let answers = Guarded<[Int32: Answer]>([:])

    /// Each costs a descriptor. Beyond these all are forgotten, and found again.
    private static let limit = 64

    /// `search` is asked where no answer is kept for this thread and revision of the table.
    func found(
        forThread thread: Int32, _ revision: UInt64, orBy search: () -> FoundIdentity?
    ) -> FoundIdentity? {
        let known = answers.withLock { $0[thread] }
        if let known, known.revision == revision, known.process.isAlive { return known.found }
        // Before the search: what is found then is this life's. Only a process's first thread has
        // its id.
        let process = ProcessHandle(of: thread)
        let found = search()
        if let process { keep(Answer(process: process, found: found, revision: revision), thread) }
        return found
    }

    private func keep(_ answer: Answer, _ thread: Int32) {
        // Closed outside of the lock.
        let gone = answers.withLock { answers in
            let gone = answers.count >= Self.limit ? answers : [:]
            if !gone.isEmpty { answers = [:] }
            answers[thread] = answer
            return gone
        }
        withExtendedLifetime(gone) {}
    }
}
