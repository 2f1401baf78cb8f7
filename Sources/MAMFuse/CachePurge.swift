// Dropping what the kernel has cached: one pass over inodes.

internal import Glibc
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace
internal import Synchronization

/// Purges inodes one after the other, on threads that may get stuck in the kernel.
///
/// A process that reads or writes slowly (its memory comes from a slow file system, or is paused by
/// userfaultfd) holds a lock of the kernel's on its inode, and a thread that waits for that cannot be called
/// back. So a thread that does not come on gets another one beside it, and who waits for all gives up at
/// the deadline; the stuck ones then end by themselves.
final class CachePurge: Sendable {
    private let mount: Mount
    private let deadline: Deadline
    private let isAffected: @Sendable (Inode) -> Bool
    private let ended = Semaphore()
    private let state: Mutex<State>

    private struct State {
        var waiting: [Inode]
        /// How many are being looked at or dropped.
        var atWorkCount = 0
        /// Those among them that are to be dropped.
        var affected: [UInt64: Inode] = [:]
        var doneCount = 0
        var notDropped: [Inode] = []
        /// To be dropped once more, after a pause for all together.
        var unseen: [Inode] = []
    }

    init(
        _ inodes: [Inode], of mount: Mount, until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) {
        self.mount = mount
        self.deadline = deadline
        self.isAffected = isAffected
        // Taken from the end: those in use first, for only they can have something to be stored.
        let inUse = inodes.filter { $0.isInUse.load(ordering: .relaxed) }
        let rest = inodes.filter { !$0.isInUse.load(ordering: .relaxed) }
        state = Mutex(State(waiting: rest + inUse))
    }

    /// A thread that has done nothing for so long is taken for stuck.
    private static let patienceMilliseconds = 50
    private static let maximumThreadCount = 64

    /// Returns the inodes whose pages may still be there: none, or those in use or begun at the deadline. The rest of the pass then
    /// goes on without us.
    func run() -> [Inode] {
        guard !state.withLock({ $0.waiting.isEmpty }) else { return [] }
        var threads = 0
        var lastDoneCount = -1
        while !deadline.hasPassed {
            let (doneCount, isWaiting) = state.withLock { ($0.doneCount, !$0.waiting.isEmpty) }
            if isWaiting, doneCount == lastDoneCount || threads == 0,
                threads < Self.maximumThreadCount
            {
                // No thread to wait for: then it is done here, however long it takes.
                if !start(), threads == 0 { work() }
                threads += 1
            }
            lastDoneCount = doneCount
            let pause = Deadline(milliseconds: Self.patienceMilliseconds)
            if ended.wait(until: min(pause, deadline)) { break }
        }
        let (begun, waiting) = state.withLock {
            ($0.notDropped + $0.affected.values + $0.unseen, $0.waiting)
        }
        return begun + waiting.filter { $0.isInUse.load(ordering: .relaxed) && isAffected($0) }
    }

    /// False if there can be no more threads. Those that run go on; at worst the deadline names what is left.
    private func start() -> Bool {
        do throws(Errno) { try startThread(named: "purge") { self.work() } } catch { return false }
        return true
    }

    private func work() {
        while let inode = next() {
            guard isAffected(inode) else {
                finish(inode, .dropped)
                continue
            }
            state.withLock { $0.affected[inode.node] = inode }
            finish(inode, drop(inode))
        }
        dropUnseen()
        let isOver = state.withLock {
            $0.waiting.isEmpty && $0.atWorkCount == 0 && $0.unseen.isEmpty
        }
        if isOver { ended.signal() }
    }

    private func next() -> Inode? {
        state.withLock { state in
            guard let inode = state.waiting.popLast() else { return nil }
            state.atWorkCount += 1
            return inode
        }
    }

    private func finish(_ inode: Inode, _ outcome: Outcome) {
        state.withLock { state in
            state.atWorkCount -= 1
            state.affected[inode.node] = nil
            state.doneCount += 1
            switch outcome {
            case .dropped: break
            case .remains: state.notDropped.append(inode)
            case .unseen: state.unseen.append(inode)
            }
        }
    }

    private enum Outcome {
        /// The kernel has no page of it any more, and will get none.
        case dropped
        case remains
        /// It cannot be looked at.
        case unseen
    }

    private func drop(_ inode: Inode) -> Outcome {
        // A thread that an earlier lock left behind waits there already.
        guard mount.probes.begin(inode, until: deadline) else { return .remains }
        defer { mount.probes.end(inode) }
        mount.notifier.invalidate(inode.node)
        // With no handle and no mapping, nobody can bring new pages in.
        guard inode.isInUse.load(ordering: .relaxed) else { return .dropped }
        // No new ones come: the window is closing.
        while inode.withState({ $0.writeGuard.hasTruncations }), !deadline.hasPassed {
            usleep(1000)
        }
        let probe: CacheProbe
        do throws(Errno) { probe = try open(inode) } catch {
            return error.isShortOfDescriptors ? .remains : .unseen
        }
        repeat {
            // A write that had passed the kernel's check when the window began to close is in its cache once
            // this returns; one that comes later is refused (see WriteGuard).
            mount.probes.waitForWriters(probe)
            mount.notifier.invalidate(inode.node)
            guard let pages = probe.cachedPageCount else { return .unseen }
            if pages == 0 { return .dropped }
            usleep(500)
        } while !deadline.hasPassed
        return .remains
    }

    /// Without a descriptor nobody knows whether pages are left: waits for one, as long as there is time.
    private func open(_ inode: Inode) throws(Errno) -> CacheProbe {
        while true {
            do throws(Errno) { return try CacheProbe(inode, in: mount) } catch {
                guard error.isShortOfDescriptors, !deadline.hasPassed else { throw error }
            }
            usleep(5000)
        }
    }

    /// For tree that cannot be looked at, because they were removed or shut us out and we are not root, or
    /// because the kernel is older than cachestat(2). It can be made to ask about most of them all the same. Writers are given
    /// the time that a write takes whose memory is there.
    private func dropUnseen() {
        let unseen = state.withLock { state in
            defer { state.unseen = [] }
            state.atWorkCount += state.unseen.count
            for inode in state.unseen { state.affected[inode.node] = inode }
            return state.unseen
        }
        if !unseen.isEmpty {
            mount.waitForWriters(of: unseen)
            usleep(3000)
        }
        for inode in unseen {
            mount.notifier.invalidate(inode.node)
            finish(inode, .dropped)
        }
    }
}
