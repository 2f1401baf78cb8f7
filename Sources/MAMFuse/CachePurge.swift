// Dropping what the kernel has cached: one pass over inodes.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// Purges inodes one after the other, on threads that may hang in the kernel.
///
/// A process that reads or writes slowly (its memory comes from a slow file system, or userfaultfd
/// stops it) holds the inode's lock in the kernel, and a thread that waits for that lock cannot be
/// interrupted. So another thread starts whenever none makes progress, and ``run()`` returns at the
/// deadline; the hanging threads end later.
final class CachePurge: Sendable {
    private let mount: Mount
    private let deadline: Deadline
    private let isAffected: @Sendable (Inode) -> Bool
    private let ended = Semaphore()
    private let state: Mutex<State>

    private struct State {
        var waiting: [Inode]
        /// Being checked: whether their pages must go is not known yet.
        var checked: [UInt64: Inode] = [:]
        /// Being dropped, because they must.
        var affected: [UInt64: Inode] = [:]
        var doneCount = 0
        var notDropped: [Inode] = []
        /// To be dropped again, after one pause for all of them.
        var unseen: [Inode] = []
    }

    init(
        _ inodes: [Inode], of mount: Mount, until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) {
        self.mount = mount
        self.deadline = deadline
        self.isAffected = isAffected
        // Taken from the end: those in use first, because only they can have dirty pages.
        let inUse = inodes.filter { $0.isInUse.load(ordering: .relaxed) }
        let rest = inodes.filter { !$0.isInUse.load(ordering: .relaxed) }
        state = Mutex(State(waiting: rest + inUse))
    }

    /// A thread that finishes nothing for so long counts as hanging.
    private static let patienceMilliseconds = 50
    private static let maximumThreadCount = 64

    /// Returns the inodes that may still have pages: none, or those in use or begun at the
    /// deadline. The threads then finish the pass by themselves.
    func run() -> [Inode] {
        guard !state.withLock({ $0.waiting.isEmpty }) else { return [] }
        var threads = 0
        var lastDoneCount = -1
        while !deadline.hasPassed {
            let (doneCount, isWaiting) = state.withLock { ($0.doneCount, !$0.waiting.isEmpty) }
            if isWaiting, doneCount == lastDoneCount || threads == 0,
                threads < Self.maximumThreadCount
            {
                // Without any thread the work is done here, however long it takes.
                if !start(), threads == 0 { work() }
                threads += 1
            }
            lastDoneCount = doneCount
            let pause = Deadline(milliseconds: Self.patienceMilliseconds)
            if ended.wait(until: min(pause, deadline)) { break }
        }
        let (begun, undecided) = state.withLock {
            ($0.notDropped + $0.affected.values + $0.unseen, $0.waiting + $0.checked.values)
        }
        return begun + undecided.filter { $0.isInUse.load(ordering: .relaxed) && isAffected($0) }
    }

    /// False if no thread can be started. Those that run continue.
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
            state.withLock { state in
                state.checked[inode.node] = nil
                state.affected[inode.node] = inode
            }
            finish(inode, drop(inode))
        }
        dropUnseen()
        let isOver = state.withLock {
            $0.waiting.isEmpty && $0.checked.isEmpty && $0.affected.isEmpty && $0.unseen.isEmpty
        }
        if isOver { ended.signal() }
    }

    private func next() -> Inode? {
        state.withLock { state in
            guard let inode = state.waiting.popLast() else { return nil }
            state.checked[inode.node] = inode
            return inode
        }
    }

    private func finish(_ inode: Inode, _ outcome: Outcome) {
        state.withLock { state in
            state.checked[inode.node] = nil
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
        /// The kernel has no page of it, and will get none.
        case dropped
        case remains
        /// It cannot be probed.
        case unseen
    }

    private func drop(_ inode: Inode) -> Outcome {
        // A thread of an earlier lock may still wait there.
        guard mount.ownAccesses.begin(inode, until: deadline) else { return .remains }
        defer { mount.ownAccesses.end(inode) }
        mount.notifier.invalidate(inode.node)
        // Without a handle or a mapping nothing reads new pages.
        guard inode.isInUse.load(ordering: .relaxed) else { return .dropped }
        // The window is closing, so no new ones begin.
        while inode.withState({ $0.writeGuard.hasTruncations }), !deadline.hasPassed {
            usleep(1000)
        }
        let probe: CacheProbe
        do throws(Errno) { probe = try open(inode) } catch {
            return error.isShortOfDescriptors ? .remains : .unseen
        }
        repeat {
            // A write that passed the kernel's check before the window began to close is in the
            // cache when this returns; a later one is refused (``WriteGuard``).
            mount.ownAccesses.waitForWriters(probe)
            mount.notifier.invalidate(inode.node)
            guard let pages = probe.cachedPageCount else { return .unseen }
            if pages == 0 { return .dropped }
            usleep(500)
        } while !deadline.hasPassed
        return .remains
    }

    /// Waits for a free descriptor until the deadline: without one, nothing tells whether pages are
    /// left.
    private func open(_ inode: Inode) throws(Errno) -> CacheProbe {
        while true {
            do throws(Errno) { return try CacheProbe(inode, in: mount) } catch {
                guard error.isShortOfDescriptors, !deadline.hasPassed else { throw error }
            }
            usleep(5000)
        }
    }

    /// For files that cannot be probed, because they were removed or closed to a daemon that is not
    /// root's, or because the kernel has no cachestat(2). Most of their writers can be waited for
    /// all the same; the others get as long as a write takes whose memory is present.
    private func dropUnseen() {
        let unseen = state.withLock { state in
            defer { state.unseen = [] }
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
