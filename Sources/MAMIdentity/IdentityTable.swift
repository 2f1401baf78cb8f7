// The identities recorded for threads and processes, by process.

internal import MAMModel
internal import MAMSystem

/// Keyed by lives, so that a reused id finds nothing.
///
/// What a process has inherited never changes: only its own settings, and those of its threads, do.
/// So a change makes no other process's answer worthless.
struct IdentityTable: Sendable {
    struct Setting: Sendable {
        let identity: Identity
        /// The user that set it.
        let giver: UInt32
        /// The connection that it ends with; nil: it ends with the process or thread.
        let connection: ConnectionID?
        var standing = Standing.ordinary

        /// What a child inherits.
        func inherited(from parent: Int32) -> FoundIdentity {
            found(from: .process(parent))
        }

        func found(from source: FoundIdentity.Source) -> FoundIdentity {
            FoundIdentity(
                identity: identity, source: source, giver: giver, standing: standing)
        }
    }

    struct Process: Sendable {
        var own: Setting?
        /// What the process inherited, if known: `.some(nil)` is nothing.
        var inherited: FoundIdentity??
        /// Of its threads.
        var threads: [ProcessLife: Setting] = [:]
        /// The version of the table in which this last changed.
        fileprivate var changed: UInt64 = 0
        /// The user whose share it takes.
        fileprivate let user: UInt32

        var settingCount: Int { threads.count + (own == nil ? 0 : 1) }
    }

    private(set) var processes: [ProcessLife: Process] = [:]
    private(set) var shares: [UInt32: IdentityShare] = [:]
    private var connections: [ConnectionID: Set<ProcessLife>] = [:]
    /// Incremented by every change of a process.
    private(set) var version: UInt64 = 0
    /// The last version that changed all processes.
    private var allChanged: UInt64 = 0

    /// The processes with a setting that ends with the connection.
    func lives(of connection: ConnectionID) -> Set<ProcessLife> { connections[connection] ?? [] }

    /// Whether nothing of a process changed after a version.
    func isUnchanged(_ life: ProcessLife, since old: UInt64) -> Bool {
        allChanged <= old && processes[life].map { $0.changed <= old } ?? true
    }

    /// Changes a process's entry, which is made on behalf of the user if there is none.
    mutating func change(
        _ life: ProcessLife, for user: UInt32, _ body: (inout Process) -> Void
    ) {
        version += 1
        var process = processes[life] ?? Process(user: user)
        let before = process.settingCount
        body(&process)
        process.changed = version
        processes[life] = process
        shares[process.user, default: IdentityShare()]
            .note(life, settings: process.settingCount - before)
        for connection in process.connections { connections[connection, default: []].insert(life) }
    }

    /// Records what children inherited; the first record wins.
    mutating func bequeath(
        _ found: FoundIdentity?, to children: some Sequence<ProcessLife>, for user: UInt32
    ) {
        for child in children where processes[child]?.inherited == nil {
            change(child, for: user) { $0.inherited = .some(found) }
        }
    }

    /// Removes what ended: whole processes, and threads of others.
    mutating func remove(_ ended: Set<ProcessLife>, of user: UInt32) {
        for life in shares[user]?.lives ?? [] {
            guard let process = processes[life] else { continue }
            if ended.contains(life) {
                processes[life] = nil
                shares[user]?.drop(life, settings: process.settingCount)
                for connection in process.connections { forget(life, of: connection) }
            } else if process.threads.keys.contains(where: ended.contains) {
                change(life, for: user) { process in
                    process.threads = process.threads.filter { !ended.contains($0.key) }
                }
            }
        }
        shares[user]?.wasSwept()
        if shares[user]?.lives.isEmpty == true { shares[user] = nil }
    }

    mutating func forget(_ connection: ConnectionID) { connections[connection] = nil }

    private mutating func forget(_ life: ProcessLife, of connection: ConnectionID) {
        connections[connection]?.remove(life)
        if connections[connection]?.isEmpty == true { connections[connection] = nil }
    }

    mutating func forget(_ identity: Identity) {
        func spared(_ setting: Setting) -> Setting {
            guard setting.identity.matches(identity) else { return setting }
            return Setting(
                identity: .nobody, giver: setting.giver, connection: setting.connection,
                standing: setting.standing)
        }
        processes = processes.mapValues { process in
            var process = process
            process.threads = process.threads.mapValues(spared)
            process.own = process.own.map(spared)
            if case .some(.some(let found)) = process.inherited, found.identity.matches(identity) {
                process.inherited = found.forNobody
            }
            return process
        }
        version += 1
        allChanged = version
    }
}

extension IdentityTable.Process {
    fileprivate var connections: Set<ConnectionID> {
        Set(threads.values.compactMap(\.connection) + [own?.connection].compactMap(\.self))
    }
}
