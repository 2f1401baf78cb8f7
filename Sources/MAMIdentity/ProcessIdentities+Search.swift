// Looks identities up, and remembers what was found.

internal import MAMLocks
package import MAMModel
internal import MAMSystem

extension ProcessIdentities {
    private enum Answer {
        case found(FoundIdentity?)
        /// Finding out takes more files of /proc than were allowed.
        case tooLong

        var identity: FoundIdentity? { if case .found(let found) = self { found } else { nil } }
    }

    /// So many files of /proc take no longer than other requests.
    private static let shortSearch = 64
    /// Enough for a program whose parents are known, as they are after the first look-up.
    private static let shortestSearch = 16

    /// A thread's identity: its own, its process's, or an ancestor's; nil if there is none.
    ///
    /// Thread 0 is the kernel's, or in another process ID namespace: no identity. `user`: whose
    /// share of the table the answer takes.
    package func found(forThread thread: Int32, of user: UInt32 = 0) -> FoundIdentity? {
        let answer = known(forThread: thread, of: user)
        return (answer ?? search(forThread: thread, of: user, limit: nil)).identity
    }

    /// The same on a thread that serves the mount. One user's long searches take at most half of
    /// these threads; the next one fails with `EAGAIN`, and soon: others' requests are behind it.
    package func foundOnMount(
        forThread thread: Int32, of user: UInt32
    ) throws(Errno) -> FoundIdentity? {
        if let answer = known(forThread: thread, of: user) { return answer.identity }
        let limit = longSearches.hasRoom(for: user) ? Self.shortSearch : Self.shortestSearch
        let answer = search(forThread: thread, of: user, limit: limit)
        if case .found(let found) = answer { return found }
        guard longSearches.take(for: user) else { throw .wouldBlock }
        defer { longSearches.giveBack(for: user) }
        return search(forThread: thread, of: user, limit: nil).identity
    }

    /// The thread's own identity, not its process's.
    package func threadIdentity(_ thread: Int32) -> Identity? {
        processID(ofThread: thread)
            .flatMap { ProcessStatus(of: $0) }
            .flatMap { setting(ofThread: thread, of: $0.life) }?.identity
    }

    /// Without reading /proc; nil if that is not possible.
    private func known(forThread thread: Int32, of user: UInt32) -> Answer? {
        guard thread > 0, !table.withLock({ $0.isEmpty(for: user) }) else { return .found(nil) }
        guard let answer = recent.answer(forThread: thread, of: user),
            table.withLock({ $0.isUnchanged(answer.life, since: answer.version) }),
            answer.process.isAlive
        else { return nil }
        return .found(answer.found)
    }

    private func search(forThread thread: Int32, of user: UInt32, limit: Int?) -> Answer {
        // Before the search, so that its result belongs to this life. Only a process's first thread
        // has the process's id.
        let handle = ProcessHandle(of: thread)
        guard let id = processID(ofThread: thread), let status = ProcessStatus(of: id) else {
            return .found(nil)
        }
        let version = table.withLock { $0.version }
        if let own = setting(ofThread: thread, of: status.life) {
            return .found(own.found(from: .thread))
        }
        let answer = find(for: status, of: user, limit: limit)
        if case .found(let found) = answer, let handle,
            table.withLock({ $0.isUnchanged(status.life, since: version) })
        {
            recent.keep(
                .init(process: handle, life: status.life, found: found, version: version), of: user)
        }
        return answer
    }

    private func setting(
        ofThread thread: Int32, of process: ProcessLife
    ) -> IdentityTable.Setting? {
        guard let threads = table.withLock({ $0.processes[process]?.threads }), !threads.isEmpty,
            let own = ProcessStatus(of: thread)?.life
        else { return nil }
        return threads[own]
    }

    /// A process's identity.
    func find(for process: Int32, of user: UInt32) -> FoundIdentity? {
        ProcessStatus(of: process).flatMap { find(for: $0, of: user, limit: nil).identity }
    }

    private func find(for process: ProcessStatus, of user: UInt32, limit: Int?) -> Answer {
        let search = IdentitySearch(from: process, in: table, of: user, limit: limit)
        guard search.end != .tooLong else { return .tooLong }
        let least: FoundIdentity? = haveStanding ? .least(process.life.id, user) : nil
        remember(least, of: search.deepHeirs, for: user)
        remember(search.found, of: search.otherHeirs, for: user)
        for (process, threads) in search.ended {
            writeDownHandedOn(by: Array(threads.values), of: process, for: user)
            table.withLock { $0.remove(threads, of: process, for: user) }
        }
        return .found(search.isTooDeep ? least : search.found)
    }

    /// Orphans keep their identity, although their parents are gone.
    private func remember(
        _ found: FoundIdentity?, of heirs: some Collection<ProcessLife>, for user: UInt32
    ) {
        guard !heirs.isEmpty else { return }
        sweep(user)
        table.withLock { table in
            guard table.remembersMore(of: user) else { return }
            table.bequeath(found, to: heirs, for: user)
        }
    }
}

extension FoundIdentity {
    /// Of a process with more ancestors than are read: one of them may be contained.
    fileprivate static func least(_ process: Int32, _ user: UInt32) -> FoundIdentity {
        FoundIdentity(
            identity: .nobody, source: .process(process), giver: user, standing: .contained)
    }
}
