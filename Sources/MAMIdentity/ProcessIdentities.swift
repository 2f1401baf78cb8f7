// Which identity a thread acts under: its own, its process's, or the one that the process was
// forked with.
//
// All of it is what was set over the socket, and who descends from whom. Nothing is read of a
// process that it could keep us waiting for: no environment, no command line, no memory map (their
// locks are held over page faults).

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Identities given to threads and processes, each tied to one life of one id.
///
/// A child has the identity that the thread had that forked it, whatever thread and process get
/// afterwards. So before an identity changes, what children have is written down for each of them.
package final class ProcessIdentities: Sendable {
    private let table = Guarded(IdentityTable())
    private let recent = RecentIdentities()
    /// One change at a time: between looking for children and the change nobody else's may come.
    private let changes = Mutex(())

    package init() {}

    /// Gives a process an identity, or takes it away with nil. False if that life of it has ended.
    ///
    /// `user`: who sets it. `connection`: what the identity ends with; nil for the process's own
    /// life.
    package func set(
        _ identity: Identity?, by user: UInt32, for life: ProcessLife,
        until connection: ConnectionID? = nil
    ) -> Bool {
        changes.withLock { _ in
            guard isAlive(life) else { return false }
            change(
                life,
                to: identity.map { .init(identity: $0, giver: user, connection: connection) })
            return true
        }
    }

    /// Gives a thread of a process an identity, or takes it away with nil. False if the process has
    /// no such thread.
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

    /// A client has hung up: what it set for as long as it was connected ends.
    package func end(_ connection: ConnectionID) {
        // Most connections set nothing, and wait for no change of another's.
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

    /// Of threads whose own identity, or their process's, is about to change.
    private func writeDownChildren(of threads: [ProcessLife: IdentityTable.Setting]) {
        for (thread, setting) in threads where isAlive(thread) {
            guard let process = setting.process?.id else { continue }
            let children = lives(childProcesses(ofThread: thread.id, of: process))
            table.withLock { $0.bequeath(setting.inherited(from: process), to: children) }
        }
    }

    /// What a thread's children are forked with.
    private func forked(by thread: ProcessLife, of process: Int32) -> FoundIdentity? {
        table.withLock { $0.threads[thread] }?.inherited(from: process) ?? found(for: process)
    }

    /// Makes nobody of all who act for an identity.
    package func forget(_ identity: Identity) {
        changes.withLock { _ in table.withLock { $0.forget(identity) } }
    }

    /// A thread's identity; nil if neither it, nor its process, nor a process that started that
    /// has one.
    ///
    /// A thread id of 0 is the kernel's, or comes from another process id namespace: no identity.
    package func found(forThread thread: Int32) -> FoundIdentity? {
        let known = table.withLock { $0 }
        guard !known.isEmpty, thread > 0 else { return nil }
        return recent.found(forThread: thread, known.revision) { search(for: thread, known) }
    }

    private func search(for thread: Int32, _ known: IdentityTable) -> FoundIdentity? {
        if !known.threads.isEmpty, let own = threadSetting(thread) {
            return FoundIdentity(identity: own.identity, source: .thread, giver: own.giver)
        }
        return processID(ofThread: thread).flatMap { found(for: $0) }
    }

    /// What was set for one thread, and not for its process.
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
        // Parents that come and go can make no loop longer than this.
        for _ in 0..<1024 {
            // Who is younger than its child has got the id of the parent since.
            guard process > 0, let status = ProcessStatus(of: process),
                status.life.startTime <= heirs.last?.startTime ?? .max
            else { break }
            let entry = known.processes[status.life]
            if let own = entry?.own {
                result = FoundIdentity(
                    identity: own.identity, source: .process(process), giver: own.giver)
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

    /// The identity of its own that the thread has which forked a process: the kernel lists
    /// children by thread, and hands those of a thread that has ended to another one of its
    /// process.
    private func setting(
        ofThreadThatForked child: ProcessStatus, _ known: IdentityTable
    ) -> IdentityTable.Setting? {
        known.threads(of: child.parent).first { thread, _ in
            thread.startTime <= child.life.startTime && isAlive(thread)
                && childProcesses(ofThread: thread.id, of: child.parent).contains(child.life.id)
        }?.value
    }

    /// An orphan has what it had, although its parents are not there any more to ask.
    private func remember(_ found: FoundIdentity, for heirs: [ProcessLife], _ version: UInt64) {
        guard !heirs.isEmpty else { return }
        table.withLock { table in
            // What has changed meanwhile may have come before a fork that we took for an earlier
            // one.
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
