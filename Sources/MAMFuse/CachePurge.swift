// Dropping what the kernel has cached: one pass over inodes.

internal import Glibc
internal import MAMSystem
internal import Synchronization

/// Purges inodes one after the other, on threads that may get stuck in the kernel.
///
/// A process that reads or writes slowly (its memory comes from a slow file system, or is paused by
/// userfaultfd) holds a lock of the kernel's on its inode, and a thread that waits for that cannot be called
/// back. So a thread that does not come on gets another one beside it, and who waits for all gives up at
/// the deadline; the stuck ones then end by themselves.
final class CachePurge: Sendable {
    private let files: FileSystem
    private let deadline: Deadline
    private let isAffected: @Sendable (Inode) -> Bool
    private let ended = Semaphore()
    private let state: Mutex<State>

    private struct State {
        var waiting: [Inode]
        var atWork: [UInt64: Inode] = [:]
        var doneCount = 0
        var notDropped: [Inode] = []
        /// To be dropped once more, after a pause for all together.
        var unseen: [Inode] = []
    }

    init(
        _ inodes: [Inode], of files: FileSystem, until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) {
        self.files = files
        self.deadline = deadline
        self.isAffected = isAffected
        state = Mutex(State(waiting: inodes))
    }

    /// A thread that has done nothing for so long is taken for stuck.
    private static let patienceMilliseconds = 50
    private static let maximumThreadCount = 64

    /// Returns the inodes whose pages may still be there: none, or those at the deadline.
    func run() -> [Inode] {
        guard !state.withLock({ $0.waiting.isEmpty }) else { return [] }
        var threads = 0
        var lastDoneCount = -1
        while !deadline.hasPassed {
            let (doneCount, isWaiting) = state.withLock { ($0.doneCount, !$0.waiting.isEmpty) }
            if isWaiting, doneCount == lastDoneCount || threads == 0,
                threads < Self.maximumThreadCount
            {
                start()
                threads += 1
            }
            lastDoneCount = doneCount
            let pause = Deadline(milliseconds: Self.patienceMilliseconds)
            if ended.wait(until: min(pause, deadline)) { break }
        }
        return state.withLock { $0.notDropped + $0.atWork.values + $0.waiting + $0.unseen }
    }

    private func start() {
        do throws(Errno) { try startThread(named: "purge") { self.work() } } catch {
            // Those that run go on; at worst the deadline names what is left.
        }
    }

    private func work() {
        while let inode = next() {
            let result = isAffected(inode) ? drop(inode) : .dropped
            if finish(inode, result) { dropUnseen() }
        }
    }

    private func next() -> Inode? {
        state.withLock { state in
            guard let inode = state.waiting.popLast() else { return nil }
            state.atWork[inode.node] = inode
            return inode
        }
    }

    /// True for the last one.
    private func finish(_ inode: Inode, _ result: Outcome) -> Bool {
        state.withLock { state in
            state.atWork[inode.node] = nil
            state.doneCount += 1
            switch result {
            case .dropped: break
            case .remains: state.notDropped.append(inode)
            case .unseen: state.unseen.append(inode)
            }
            return state.waiting.isEmpty && state.atWork.isEmpty
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
        files.notifier.invalidate(inode.node)
        // With no handle and no mapping, nobody can bring new pages in.
        guard inode.openFile != nil else { return .dropped }
        guard let probe = CacheProbe(inode, in: files) else { return .unseen }
        repeat {
            // A write that had passed the kernel's check when the window began to close is in its cache once
            // this returns; one that comes later is refused (see WriteGuard).
            probe.waitForWriters()
            files.notifier.invalidate(inode.node)
            guard let pages = probe.cachedPageCount else { return .unseen }
            if pages == 0 { return .dropped }
            usleep(500)
        } while !deadline.hasPassed
        return .remains
    }

    /// The end: for files that cannot be looked at, because they were removed or shut us out and we are not root, or
    /// because the kernel is older than cachestat(2). Writers are given the time that a write takes whose memory
    /// is there.
    private func dropUnseen() {
        let unseen = state.withLock { $0.unseen }
        if !unseen.isEmpty { usleep(3000) }
        for inode in unseen { files.notifier.invalidate(inode.node) }
        state.withLock { $0.unseen = [] }
        ended.signal()
    }
}
