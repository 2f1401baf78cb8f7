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
        let origin: Origin

        /// Whether an orphan may have inherited it.
        func mayHaveForked(_ orphan: Origin) -> Bool {
            origin.time <= orphan.time && origin.group == orphan.group
        }

        /// What a child inherits.
        func inherited(from parent: Int32) -> FoundIdentity {
            found(from: .process(parent))
        }

        func found(from source: FoundIdentity.Source) -> FoundIdentity {
            FoundIdentity(
                identity: identity, source: source, giver: giver, standing: standing)
        }
    }

    /// Where and when something began.
    struct Origin: Sendable {
        /// As /proc shows the control groups.
        let group: ByteString
        /// As ``ProcessLife/startTime``.
        let time: UInt64
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
        var settings: [Setting] { Array(threads.values) + [own].compactMap(\.self) }
    }

    private(set) var processes: [ProcessLife: Process] = [:]
    private(set) var shares: [UInt32: IdentityShare] = [:]
    /// By the user that set them.
    private var lost: [UInt32: LostIdentities] = [:]
    private var connections: [ConnectionID: Set<ProcessLife>] = [:]
    /// Incremented by every change of a process.
    private(set) var version: UInt64 = 0
    /// The last version that changed all processes.
    private var allChanged: UInt64 = 0

    /// Whether no process of the user can have an identity.
    func isEmpty(for user: UInt32) -> Bool { processes.isEmpty && lost[user] == nil }

    /// Whether orphans of the user may have an identity that nothing tells any more.
    func hasOrphans(of user: UInt32) -> Bool {
        lost[user] != nil || shares[user].map { $0.settingCount > 0 } ?? false
    }

    /// What an orphan may have inherited of settings that are gone; nil: too much to tell.
    func lost(of orphan: Origin, for user: UInt32) -> [Identity]? {
        guard let lost = lost[user] else { return [] }
        return lost.identities(of: orphan)
    }

    /// Whether one more process of the user gets an entry for what it has inherited.
    func remembersMore(of user: UInt32) -> Bool { shares[user]?.remembersMore ?? true }

    func settings(of user: UInt32) -> [Setting] {
        (shares[user]?.lives ?? []).compactMap { processes[$0] }.flatMap(\.settings)
    }

    /// Notes that a setting ends, for orphans that were not found.
    mutating func lose(_ setting: Setting?) {
        guard let setting else { return }
        lost[setting.giver, default: LostIdentities()].add(setting)
    }

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

    /// A user's processes and threads, if those that have ended are to be looked for.
    mutating func livesToSweep(of user: UInt32, isPressing: Bool) -> [ProcessLife] {
        guard shares[user]?.shallBeSwept(isPressing: isPressing) == true,
            let lives = shares[user]?.lives
        else { return [] }
        return lives.flatMap { life in
            [life] + (processes[life]?.threads.keys.map(\.self) ?? [])
        }
    }

    /// The settings of threads that ended, of processes that did not.
    func threads(
        among ended: Set<ProcessLife>, of user: UInt32
    ) -> [(process: ProcessLife, settings: [Setting])] {
        (shares[user]?.lives ?? []).subtracting(ended).compactMap { life in
            let settings = processes[life]?.threads.filter { ended.contains($0.key) } ?? [:]
            return settings.isEmpty ? nil : (life, Array(settings.values))
        }
    }

    /// Removes threads that ended, or whose identity did.
    mutating func remove(
        _ threads: [ProcessLife: Setting], of process: ProcessLife, for user: UInt32
    ) {
        for setting in threads.values { lose(setting) }
        change(process, for: user) { process in
            process.threads = process.threads.filter { threads[$0.key] == nil }
        }
    }

    /// Removes what ended: whole processes, and threads of others.
    mutating func remove(_ ended: Set<ProcessLife>, of user: UInt32) {
        for life in shares[user]?.lives ?? [] {
            guard let process = processes[life] else { continue }
            if ended.contains(life) {
                for setting in process.settings { lose(setting) }
                processes[life] = nil
                shares[user]?.drop(life, settings: process.settingCount)
                for connection in process.connections { forget(life, of: connection) }
            } else if process.threads.keys.contains(where: ended.contains) {
                remove(
                    process.threads.filter { ended.contains($0.key) }, of: life, for: user)
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
                standing: setting.standing, origin: setting.origin)
        }
        processes = processes.mapValues { process in
            var process = process
            process.threads = process.threads.mapValues(spared)
            process.own = process.own.map(spared)
            if case .some(.some(let found)) = process.inherited {
                process.inherited = found.without(identity)
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
