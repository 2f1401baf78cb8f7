// Finds the identity of a thread: its own, its process's, or the one its process inherited.
//
// It depends only on settings made over the socket and on the process tree. Nothing is read that a
// process could block: no environment, no command line, no memory map, whose locks are held across
// page faults.

internal import MAMLocks
package import MAMModel
package import MAMSystem
internal import Synchronization

/// Identities of threads and processes, each tied to one life of an id.
///
/// A child inherits the identity of the thread that forked it, and keeps it whatever that thread or
/// process gets later. So before an identity changes, the children's are recorded.
///
/// Users share it: what one may have is limited (``IdentityShare``), and what a look-up costs is
/// the process's own family.
package final class ProcessIdentities: Sendable {
    let table = Guarded(IdentityTable())
    let recent = RecentIdentities()
    /// Serialises a process's changes: none may come between finding its children and the change.
    private let changes = LockTable<Int32>()
    private let standing = Atomic<Bool>(false)
    /// Limits a user's long searches to half of the ten threads that serve the mount.
    let longSearches = Shares(each: 5)

    package init() {}

    /// Whether a program was ever more than ordinary: until then none has to be looked for.
    package var haveStanding: Bool { standing.load(ordering: .acquiring) }

    /// Sets a process's identity, or removes it with nil. False if that process has ended, or the
    /// user has too many.
    ///
    /// `user`: the user that sets it. `connection`: ends the identity when it closes; nil: only
    /// with the process.
    package func set(
        _ identity: Identity?, by user: UInt32, for life: ProcessLife,
        until connection: ConnectionID? = nil, standing: Standing = .ordinary
    ) -> Bool {
        if standing != .ordinary { self.standing.store(true, ordering: .releasing) }
        return changes.withLock(life.id) {
            guard isAlive(life), identity == nil || hasRoom(for: user) else { return false }
            change(
                life, for: user,
                to: identity.map {
                    .init(
                        identity: $0, giver: user, connection: connection, standing: standing,
                        origin: .now(of: life.id))
                })
            return true
        }
    }

    /// Sets a thread's identity, or removes it with nil. False if the process has no such thread,
    /// or too many of them have one.
    package func set(
        _ identity: Identity?, by user: UInt32, forThread thread: Int32, of process: ProcessLife,
        until connection: ConnectionID
    ) -> Bool {
        changes.withLock(process.id) {
            guard isAlive(process), let life = ProcessStatus(of: thread)?.life,
                processID(ofThread: thread) == process.id,
                identity == nil || hasOwn(life, of: process)
                    || hasRoom(for: user, threadOf: process)
            else { return false }
            let children = lives(childProcesses(ofThread: thread, of: process.id))
            let old = forked(by: life, of: process, for: user)
            let origin = IdentityTable.Origin.now(of: process.id)
            table.withLock { table in
                table.bequeath(old, to: children, for: user)
                table.lose(table.processes[process]?.threads[life])
                table.change(process, for: user) {
                    $0.threads[life] = identity.map {
                        .init(identity: $0, giver: user, connection: connection, origin: origin)
                    }
                }
            }
            return true
        }
    }

    private func hasOwn(_ thread: ProcessLife, of process: ProcessLife) -> Bool {
        table.withLock { $0.processes[process]?.threads[thread] != nil }
    }

    /// Whether the user may set one more; `process`: for a thread of it.
    package func hasRoom(for user: UInt32, threadOf process: ProcessLife? = nil) -> Bool {
        func isFull() -> Bool {
            table.withLock { table in
                let threads = process.flatMap { table.processes[$0] }?.threads.count ?? 0
                return threads >= IdentityShare.threadsOfProcess
                    || table.shares[user]?.isFull == true
            }
        }
        let isPressing = isFull()
        sweep(user, isPressing: isPressing)
        return !isPressing || !isFull()
    }

    /// Removes a user's processes and threads that have ended, sometimes.
    func sweep(_ user: UInt32, isPressing: Bool = false) {
        let lives = table.withLock { $0.livesToSweep(of: user, isPressing: isPressing) }
        guard !lives.isEmpty else { return }
        let ended = Set(lives.filter { !isAlive($0) })
        for (process, threads) in table.withLock({ $0.threads(among: ended, of: user) }) {
            writeDownHandedOn(by: threads, of: process, for: user)
        }
        table.withLock { $0.remove(ended, of: user) }
    }

    /// Ends the identities tied to a connection that has closed.
    package func end(_ connection: ConnectionID) {
        for life in table.withLock({ $0.lives(of: connection) }) {
            changes.withLock(life.id) { end(connection, of: life) }
        }
        table.withLock { $0.forget(connection) }
    }

    private func end(_ connection: ConnectionID, of life: ProcessLife) {
        guard let process = table.withLock({ $0.processes[life] }) else { return }
        let ending = process.threads.filter { $0.value.connection == connection }
        // A connection belongs to no user here: the one who set the identity pays.
        let user = (ending.values.first ?? process.own)?.giver ?? 0
        writeDownChildren(of: ending, in: life, for: user)
        table.withLock { $0.remove(ending, of: life, for: user) }
        if process.own?.connection == connection { change(life, for: user, to: nil) }
    }

    /// Whom the contained programs act for that are running: once for each that was set.
    package var contained: [Identity] {
        let set = table.withLock { table in
            table.processes.compactMap { life, process in
                process.own.flatMap { $0.standing == .contained ? (life, $0.identity) : nil }
            }
        }
        return set.compactMap { life, identity in
            guard let status = ProcessStatus(of: life.id), status.life == life, !status.hasEnded
            else { return nil }
            return identity
        }
    }

    /// The caller holds the process's lock.
    private func change(
        _ life: ProcessLife, for user: UInt32, to setting: IdentityTable.Setting?
    ) {
        let threads = table.withLock { $0.processes[life]?.threads ?? [:] }
        writeDownChildren(of: threads, in: life, for: user)
        let old = find(for: life.id, of: user)
        let children = lives(childProcesses(of: life.id))
        table.withLock { table in
            table.bequeath(old, to: children, for: user)
            table.lose(table.processes[life]?.own)
            table.change(life, for: user) { $0.own = setting }
        }
    }

    /// For threads whose own identity, or whose process's, is about to change.
    private func writeDownChildren(
        of threads: [ProcessLife: IdentityTable.Setting], in process: ProcessLife, for user: UInt32
    ) {
        writeDownHandedOn(
            by: threads.filter { !isAlive($0.key) }.map(\.value), of: process, for: user)
        for (thread, setting) in threads where isAlive(thread) {
            let children = lives(childProcesses(ofThread: thread.id, of: process.id))
            table.withLock {
                $0.bequeath(setting.inherited(from: process.id), to: children, for: user)
            }
        }
    }

    /// For threads that have ended. The kernel gave their children to another thread, its process's
    /// first one as a rule, whose own children cannot be told from them any more.
    func writeDownHandedOn(
        by ended: [IdentityTable.Setting], of process: ProcessLife, for user: UInt32
    ) {
        guard let begin = ended.map(\.origin.time).min(),
            let first = ProcessStatus(of: process.id), first.life == process
        else { return }
        let handedOn =
            first.isEnding
            ? childProcesses(of: process.id) : childProcesses(ofThread: process.id, of: process.id)
        let children = lives(handedOn).filter { $0.startTime >= begin }
        guard !children.isEmpty else { return }
        let found = FoundIdentity.doubtful(
            forked(by: process, of: process, for: user), or: ended.map(\.identity), of: user)
        table.withLock { $0.bequeath(found, to: children, for: user) }
    }

    /// What a thread's children inherit.
    private func forked(
        by thread: ProcessLife, of process: ProcessLife, for user: UInt32
    ) -> FoundIdentity? {
        let own = table.withLock { $0.processes[process]?.threads[thread] }
        return own?.inherited(from: process.id)
            ?? find(for: process.id, of: user)
    }

    /// Makes all processes that act for an identity act for nobody.
    package func forget(_ identity: Identity) { table.withLock { $0.forget(identity) } }
}

private func lives(_ processes: [Int32]) -> [ProcessLife] {
    processes.compactMap { ProcessStatus(of: $0)?.life }
}

extension IdentityTable.Origin {
    /// Of what a process begins now.
    fileprivate static func now(of process: Int32) -> Self {
        // The earlier time: nothing that is forked later may have started before it.
        let time = currentStartTime()
        return Self(group: controlGroups(of: process), time: time)
    }
}

private func isAlive(_ life: ProcessLife) -> Bool { ProcessStatus(of: life.id)?.life == life }
