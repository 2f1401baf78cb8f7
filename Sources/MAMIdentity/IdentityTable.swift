// What is written down about threads and processes and their identities.

internal import MAMModel
internal import MAMSystem

/// Keyed by lives, so that an id that is used again finds nothing.
struct IdentityTable: Sendable {
    struct Setting: Sendable {
        let identity: Identity
        /// The user that set it.
        let giver: UInt32
        /// What it ends with; nil: only with the life that it belongs to.
        let connection: ConnectionID?
        /// Whose thread it is, of a thread's.
        var process: ProcessLife?

        /// What a child has from it.
        func inherited(from parent: Int32) -> FoundIdentity {
            FoundIdentity(identity: identity, source: .process(parent), giver: giver)
        }
    }

    struct Process: Sendable {
        var own: Setting?
        /// What the process was forked with, as far as that is known: `.some(nil)` is nothing.
        var inherited: FoundIdentity??
    }

    var threads: [ProcessLife: Setting] = [:]
    var processes: [ProcessLife: Process] = [:]
    /// One more with every change of what children are forked with.
    var version: UInt64 = 0
    /// One more with every change of any identity, threads' too: what was found before may not hold
    /// any more.
    var revision: UInt64 = 0
    private var pruneAt = 64

    /// More are found anew each time they are asked for.
    static let rememberedCount = 16_384

    var isEmpty: Bool { threads.isEmpty && processes.isEmpty }

    /// Whether something ends with a connection.
    func refers(to connection: ConnectionID) -> Bool {
        threads.values.contains { $0.connection == connection }
            || processes.values.contains { $0.own?.connection == connection }
    }

    /// Forgets lives that have ended, now and then: each costs a look into /proc.
    mutating func prune(unless isAlive: (ProcessLife) -> Bool) {
        guard threads.count + processes.count >= pruneAt else { return }
        threads = threads.filter { isAlive($0.key) }
        processes = processes.filter { isAlive($0.key) }
        pruneAt = max(64, 2 * (threads.count + processes.count))
    }

    /// What threads of a process were given.
    func threads(of process: Int32) -> [ProcessLife: Setting] {
        threads.filter { $0.value.process?.id == process }
    }

    /// Children keep what they were forked with: what was written down first.
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
                process: setting.process)
        }
        threads = threads.mapValues(spared)
        processes = processes.mapValues { process in
            var process = process
            process.own = process.own.map(spared)
            if case .some(.some(let found)) = process.inherited, found.identity.matches(identity) {
                process.inherited = FoundIdentity(
                    identity: .nobody, source: found.source, giver: found.giver)
            }
            return process
        }
        version += 1
        revision += 1
    }
}
