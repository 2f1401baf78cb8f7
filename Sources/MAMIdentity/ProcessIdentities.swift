// Finds the identity of a thread: its own, its process's, or the one its process inherited.
//
// It depends only on settings made over the socket and on the process tree. Nothing is read that a
// process could block: no environment, no command line, no memory map, whose locks are held across
// page faults.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Identities of threads and processes, each tied to one life of an id.
///
/// A child inherits the identity of the thread that forked it, and keeps it whatever that thread or
/// process gets later. So before an identity changes, the children's are recorded.
package final class ProcessIdentities: Sendable {
    private let table = Guarded(IdentityTable())
    private let recent = RecentIdentities()
    /// Serialises changes: none may come between finding children and the change.
    private let changes = Mutex(())
    private let standing = Atomic<Bool>(false)

    package init() {}

    /// Whether a program was ever more than ordinary: until then none has to be looked for.
    package var haveStanding: Bool { standing.load(ordering: .acquiring) }

    /// Sets a process's identity, or removes it with nil. False if that process has ended.
    ///
    /// `user`: the user that sets it. `connection`: ends the identity when it closes; nil: only
    /// with the process.
    package func set(
        _ identity: Identity?, by user: UInt32, for life: ProcessLife,
        until connection: ConnectionID? = nil, standing: Standing = .ordinary
    ) -> Bool {
        if standing != .ordinary { self.standing.store(true, ordering: .releasing) }
        return changes.withLock { _ in
            guard isAlive(life) else { return false }
            change(
                life,
                to: identity.map {
                    .init(
                        identity: $0, giver: user, connection: connection,
                        standing: standing)
                })
            return true
        }
    }

    /// Sets a thread's identity, or removes it with nil. False if the process has no such thread.
    package func set(
        _ identity: Identity?, by user: UInt32, forThread thread: Int32, of process: ProcessLife,
        until connection: ConnectionID
    ) -> Bool {
        changes.withLock { _ in
            guard isAlive(process), let life = ProcessStatus(of: thread)?.life,
                processID(ofThread: thread) == process.id
            else { return false }
            let children = lives(childProcesses(ofThread: thread, of: process.id))
            let old = forked(by: life, of: process.id)
            table.withLock { table in
                table.prune(unless: isAlive)
                table.version += 1
                table.revision += 1
                table.bequeath(old, to: children)
                table.threads[life] = identity.map {
                    .init(identity: $0, giver: user, connection: connection, process: process)
                }
            }
            return true
        }
    }

    /// Ends the identities tied to a connection that has closed.
    package func end(_ connection: ConnectionID) {
        // Most connections set nothing, and should not wait for another's change.
        guard table.withLock({ $0.refers(to: connection) }) else { return }
        changes.withLock { _ in
            writeDownChildren(
                of: table.withLock { $0.threads }.filter {
                    $0.value.connection == connection
                })
            let ended = table.withLock { table in
                table.version += 1
                table.revision += 1
                table.threads = table.threads.filter { $0.value.connection != connection }
                return table.processes.filter { $0.value.own?.connection == connection }.keys
            }
            for life in ended { change(life, to: nil) }
        }
    }

    /// Whom the contained programs act for that are running: once for each that was set.
    package var contained: [Identity] {
        table.withLock { $0.processes }.compactMap { life, process in
            guard let own = process.own, own.standing == .contained,
                let status = ProcessStatus(of: life.id), status.life == life, !status.hasEnded
            else { return nil }
            return own.identity
        }
    }

    /// The caller holds `changes`.
    private func change(_ life: ProcessLife, to setting: IdentityTable.Setting?) {
        writeDownChildren(of: table.withLock { $0.threads(of: life.id) })
        let old = found(for: life.id)
        let children = lives(childProcesses(of: life.id))
        table.withLock { table in
            table.prune(unless: isAlive)
            table.version += 1
            table.revision += 1
            table.bequeath(old, to: children)
            table.set(setting, for: life)
        }
    }

    /// For threads whose own identity, or whose process's, is about to change.
    private func writeDownChildren(of threads: [ProcessLife: IdentityTable.Setting]) {
        for (thread, setting) in threads where isAlive(thread) {
            guard let process = setting.process?.id else { continue }
            let children = lives(childProcesses(ofThread: thread.id, of: process))
            table.withLock { $0.bequeath(setting.inherited(from: process), to: children) }
        }
    }

    /// What a thread's children inherit.
    private func forked(by thread: ProcessLife, of process: Int32) -> FoundIdentity? {
        table.withLock { $0.threads[thread] }?.inherited(from: process) ?? found(for: process)
    }

    /// Makes all processes that act for an identity act for nobody.
    package func forget(_ identity: Identity) {
        changes.withLock { _ in table.withLock { $0.forget(identity) } }
    }

    /// A thread's identity: its own, its process's, or an ancestor's; nil if there is none.
    ///
    /// Thread 0 is the kernel's, or in another process ID namespace: no identity.
    package func found(forThread thread: Int32) -> FoundIdentity? {
        let known = table.withLock { $0 }
        guard !known.isEmpty, thread > 0 else { return nil }
        return recent.found(forThread: thread, known.revision) { search(for: thread, known) }
    }

    private func search(for thread: Int32, _ known: IdentityTable) -> FoundIdentity? {
        if !known.threads.isEmpty, let own = threadSetting(thread) {
            return own.found(from: .thread)
        }
        return processID(ofThread: thread).flatMap { found(for: $0) }
    }

    /// The thread's own identity, not its process's.
    package func threadIdentity(_ thread: Int32) -> Identity? {
        threadSetting(thread)?.identity
    }

    private func threadSetting(_ thread: Int32) -> IdentityTable.Setting? {
        guard let life = ProcessStatus(of: thread)?.life else { return nil }
        return table.withLock { $0.threads[life] }
    }

    private func found(for process: Int32) -> FoundIdentity? {
        let known = table.withLock { $0 }
        var heirs: [ProcessLife] = []
        var process = process
        var result: FoundIdentity?
        // Limits a loop that concurrent changes of parents could cause.
        for _ in 0..<1024 {
            // A parent younger than its child is another process with a reused id.
            guard process > 0, let status = ProcessStatus(of: process),
                status.life.startTime <= heirs.last?.startTime ?? .max
            else { break }
            let entry = known.processes[status.life]
            if let own = entry?.own {
                result = own.found(from: .process(process))
            } else if let inherited = entry?.inherited {
                result = inherited
            } else if let thread = setting(ofThreadThatForked: status, known) {
                heirs.append(status.life)
                result = thread.inherited(from: status.parent)
            } else {
                heirs.append(status.life)
                process = status.parent
                continue
            }
            break
        }
        if let result { remember(result, for: heirs, known.version) }
        return result
    }

    /// The own identity of the thread that forked a process: the kernel lists children by thread,
    /// and hands those of an ended thread to another one of its process.
    private func setting(
        ofThreadThatForked child: ProcessStatus, _ known: IdentityTable
    ) -> IdentityTable.Setting? {
        known.threads(of: child.parent).first { thread, _ in
            thread.startTime <= child.life.startTime && isAlive(thread)
                && childProcesses(ofThread: thread.id, of: child.parent).contains(child.life.id)
        }?.value
    }

    /// Orphans keep their identity, although their parents are gone.
    private func remember(_ found: FoundIdentity, for heirs: [ProcessLife], _ version: UInt64) {
        guard !heirs.isEmpty else { return }
        table.withLock { table in
            // If something changed meanwhile, it may predate a fork that this search placed before
            // it.
            guard table.version == version else { return }
            table.prune(unless: isAlive)
            guard table.processes.count < IdentityTable.rememberedCount else { return }
            for heir in heirs { table.processes[heir, default: .init()].inherited = .some(found) }
        }
    }
}

private func lives(_ processes: [Int32]) -> [ProcessLife] {
    processes.compactMap { ProcessStatus(of: $0)?.life }
}

private func isAlive(_ life: ProcessLife) -> Bool { ProcessStatus(of: life.id)?.life == life }
