// The identities recorded for threads and processes.

internal import MAMModel
internal import MAMSystem

/// Keyed by lives, so that a reused id finds nothing.
struct IdentityTable: Sendable {
    struct Setting: Sendable {
        let identity: Identity
        /// The user that set it.
        let giver: UInt32
        /// The connection that it ends with; nil: it ends with the process or thread.
        let connection: ConnectionID?
        /// The process of a thread.
        var process: ProcessLife?
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
    }

    var threads: [ProcessLife: Setting] = [:]
    var processes: [ProcessLife: Process] = [:]
    /// Incremented by every change of what children inherit.
    var version: UInt64 = 0
    /// Incremented by every change of any identity, including threads': it invalidates earlier
    /// results.
    var revision: UInt64 = 0
    private var pruneAt = 64

    /// The limit on remembered results; others are searched for each time.
    static let rememberedCount = 16_384

    var isEmpty: Bool { threads.isEmpty && processes.isEmpty }

    /// Whether any entry ends with the connection.
    func refers(to connection: ConnectionID) -> Bool {
        threads.values.contains { $0.connection == connection }
            || processes.values.contains { $0.own?.connection == connection }
    }

    /// Removes lives that have ended, occasionally: each check reads /proc.
    mutating func prune(unless isAlive: (ProcessLife) -> Bool) {
        guard threads.count + processes.count >= pruneAt else { return }
        threads = threads.filter { isAlive($0.key) }
        processes = processes.filter { isAlive($0.key) }
        pruneAt = max(64, 2 * (threads.count + processes.count))
    }

    /// The settings of a process's threads.
    func threads(of process: Int32) -> [ProcessLife: Setting] {
        threads.filter { $0.value.process?.id == process }
    }

    /// Records what children inherited; the first record wins.
    mutating func bequeath(_ found: FoundIdentity?, to children: [ProcessLife]) {
        for child in children where processes[child]?.inherited == nil {
            processes[child, default: Process()].inherited = .some(found)
        }
    }

    mutating func set(_ setting: Setting?, for life: ProcessLife) {
        processes[life, default: Process()].own = setting
        if setting == nil, processes[life]?.inherited == nil { processes[life] = nil }
    }

    mutating func forget(_ identity: Identity) {
        func spared(_ setting: Setting) -> Setting {
            guard setting.identity.matches(identity) else { return setting }
            return Setting(
                identity: .nobody, giver: setting.giver, connection: setting.connection,
                process: setting.process, standing: setting.standing)
        }
        threads = threads.mapValues(spared)
        processes = processes.mapValues { process in
            var process = process
            process.own = process.own.map(spared)
            if case .some(.some(let found)) = process.inherited, found.identity.matches(identity) {
                process.inherited = found.forNobody
            }
            return process
        }
        version += 1
        revision += 1
    }
}
