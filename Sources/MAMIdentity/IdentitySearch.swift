// Looks for a process's identity among its ancestors.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// Reads /proc from a process upwards. Few look-ups come far: what was found out is remembered for
/// the processes in between.
///
/// Nothing need stand still meanwhile. Before a process's settings change, what its children have
/// inherited is recorded in the same moment: a child without a record was forked under the settings
/// that its parent has in the moment that shows so.
///
/// The kernel gives the children of what has ended to others. What these may have inherited is
/// collected, and the search goes on with the parent that they have.
struct IdentitySearch {
    private let table: Guarded<IdentityTable>
    private let user: UInt32
    /// How many files of /proc may be read; nil: as many as it takes.
    private let limit: Int?
    private var readCount = 0
    private var ancestor: FoundIdentity?
    /// Of threads that have ended.
    private var possible: [Identity] = []
    /// Of ancestors that have ended; nil: too many to tell.
    private var lost: [Identity]? = []
    /// The processes that inherit it, the one that was asked about first.
    private var heirs: [ProcessLife] = []
    private(set) var end = End.answered
    /// Each process that was read, and its parent if that has not ended.
    private var steps: [(child: ProcessStatus, parent: ProcessStatus?)] = []
    /// Threads with an identity that have ended, by process.
    private(set) var ended: [ProcessLife: [ProcessLife: IdentityTable.Setting]] = [:]

    enum End {
        /// Whether with an identity or without.
        case answered
        /// There is more to read than the limit.
        case tooLong
        /// There are more ancestors than are read.
        case tooDeep
    }

    /// How many ancestors of a process are looked at. As many again are read where the answers are
    /// remembered: each of these processes gets the one that it would get by itself.
    private static let depth = 1024
    private let reach: Int
    /// How many processes were read, the first among them.
    private var processCount = 0

    init(
        from process: ProcessStatus, in table: Guarded<IdentityTable>, of user: UInt32, limit: Int?
    ) {
        (self.table, self.user, self.limit) = (table, user, limit)
        reach = table.withLock { $0.remembersMore(of: user) } ? 2 * Self.depth : Self.depth + 1
        climb(from: process, table.withLock { $0.processes[process.life] })
        // What adopts orphans below an ancestor with an identity is that ancestor's, as the
        // supervisor of `mamctl run`: they are, too.
        if ancestor == nil, end == .answered { lookForOrphans() }
    }

    /// Whether ``found`` is too far above the first process.
    var isTooDeep: Bool { deepCount > 0 }

    /// Some of the processes that it is too far above.
    var deepHeirs: [ProcessLife] { remembered(heirs.prefix(deepCount)) }

    /// The processes that ``found`` is for, or some of them.
    var otherHeirs: [ProcessLife] {
        end == .answered ? remembered(heirs.dropFirst(deepCount)) : []
    }

    private var deepCount: Int { max(0, processCount - Self.depth) }

    /// All, unless they are very many: then so many that the others' children find one soon.
    private func remembered(_ all: ArraySlice<ProcessLife>) -> [ProcessLife] {
        guard isTooDeep else { return Array(all) }
        return all.enumerated().filter { $0.offset.isMultiple(of: 8) }.map(\.element)
    }

    var found: FoundIdentity? {
        var found = FoundIdentity.doubtful(ancestor, or: possible + (lost ?? []), of: user)
        if lost == nil {
            found =
                found ?? FoundIdentity(identity: .nobody, source: .userDefault, giver: user)
            found?.isUndecided = true
        }
        return found
    }

    private mutating func read(_ process: Int32) -> ProcessStatus? {
        readCount += 1
        return ProcessStatus(of: process)
    }

    private var isTooLong: Bool { limit.map { readCount > $0 } ?? false }

    private mutating func climb(
        from first: ProcessStatus, _ entryOfFirst: IdentityTable.Process?
    ) {
        var (status, entry) = (first, entryOfFirst)
        while processCount < reach {
            processCount += 1
            if let own = entry?.own {
                return ancestor = own.found(from: .process(status.life.id))
            }
            if let inherited = entry?.inherited { return ancestor = inherited }
            // What is in doubt for a child is not for its ancestors.
            if possible.isEmpty { heirs.append(status.life) }
            guard !isTooLong else { return end = .tooLong }
            guard status.parent > 0 else { return }
            guard let parent = read(status.parent),
                // A parent younger than its child is another process with a reused id.
                parent.life.startTime <= status.life.startTime
            else {
                guard let again = readAgain(status) else { return steps.append((status, nil)) }
                (status, entry) = again
                continue
            }
            let child = status.life
            let (record, entryOfParent) = table.withLock {
                ($0.processes[child]?.inherited, $0.processes[parent.life])
            }
            if let record { return ancestor = record }
            if let forker = thread(of: parent, entryOfParent, thatForked: child) {
                return ancestor = forker.inherited(from: parent.life.id)
            }
            guard end == .answered else { return }
            steps.append((status, parent))
            (status, entry) = (parent, entryOfParent)
        }
        end = .tooDeep
    }

    /// A process whose parent has ended since it was read; nil if it has no other one.
    private mutating func readAgain(
        _ old: ProcessStatus
    ) -> (ProcessStatus, IdentityTable.Process?)? {
        guard let new = read(old.life.id), new.life == old.life, new.parent != old.parent else {
            return nil
        }
        return (new, table.withLock { $0.processes[new.life] })
    }

    /// The own identity of the thread that forked a process: the kernel lists children by thread.
    /// Those of an ended thread are its process's first one's, if that has not ended too.
    private mutating func thread(
        of parent: ProcessStatus, _ entry: IdentityTable.Process?, thatForked child: ProcessLife
    ) -> IdentityTable.Setting? {
        var ended: [ProcessLife: IdentityTable.Setting] = [:]
        var forker: (thread: Int32, setting: IdentityTable.Setting)?
        for (thread, setting) in entry?.threads ?? [:] where thread.startTime <= child.startTime {
            readCount += 1
            guard !isTooLong else {
                end = .tooLong
                return nil
            }
            let children = knownChildren(ofThread: thread.id, of: parent.life.id)
            let isListed = children?.contains(child.id) == true
            guard children != nil, !isListed || read(thread.id)?.life == thread else {
                ended[thread] = setting
                continue
            }
            if isListed { forker = (thread.id, setting) }
        }
        guard !ended.isEmpty else { return forker?.setting }
        self.ended[parent.life] = ended
        if isHandedOn(child, to: forker?.thread, of: parent) {
            possible += ended.values.filter { $0.origin.time <= child.startTime }.map(\.identity)
        }
        return forker?.setting
    }

    /// Whether a child may have been forked by another thread than the one that lists it.
    private mutating func isHandedOn(
        _ child: ProcessLife, to thread: Int32?, of parent: ProcessStatus
    ) -> Bool {
        guard !parent.isEnding else { return true }
        let first = parent.life.id
        if let thread { return thread == first }
        readCount += 1
        return childProcesses(ofThread: first, of: first).contains(child.id)
    }

    /// Whether the kernel, not a fork, made a process the parent.
    private mutating func isAdopted(_ child: ProcessStatus, by parent: ProcessStatus) -> Bool {
        // Only a process that began a session is not in that of the one that forked it.
        if child.session != child.life.id, child.session != parent.session { return true }
        readCount += 2
        return isFirstOfNamespace(parent.life.id)
            // A user's systemd.
            || controlGroups(of: parent.life.id).bytes.ends(with: "/init.scope\n".utf8)
    }

    private mutating func lookForOrphans() {
        guard table.withLock({ $0.hasOrphans(of: user) }) else { return }
        for (child, parent) in steps where lost != nil {
            guard parent.map({ isAdopted(child, by: $0) }) ?? true else { continue }
            guard !isTooLong else { return end = .tooLong }
            noteOrphan(child)
            if lost?.isEmpty != true, let last = heirs.firstIndex(of: child.life) {
                heirs.removeSubrange((last + 1)...)
            }
        }
    }

    private mutating func noteOrphan(_ orphan: ProcessStatus) {
        readCount += 1
        let origin = IdentityTable.Origin(
            group: controlGroups(of: orphan.life.id), time: orphan.life.startTime)
        let (others, settings) = table.withLock { table in
            (table.lost(of: origin, for: user), table.settings(of: user))
        }
        // Outside of the lock: this may be a user with thousands of identities.
        lost = LostIdentities.joined(lost, others, settings.filter { $0.mayHaveForked(origin) })
    }
}

extension [UInt8] {
    fileprivate func ends(with end: String.UTF8View) -> Bool {
        suffix(end.count).elementsEqual(end)
    }
}
