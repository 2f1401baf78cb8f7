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
        return state.withLock { $0.notDropped + $0.atWork.values + $0.waiting }
    }

    private func start() {
        do throws(Errno) { try startThread(named: "purge") { self.work() } } catch {
            // Those that run go on; at worst the deadline names what is left.
        }
    }

    private func work() {
        while let inode = next() {
            let isDropped = !isAffected(inode) || drop(inode)
            finish(inode, isDropped)
        }
    }

    private func next() -> Inode? {
        state.withLock { state in
            guard let inode = state.waiting.popLast() else { return nil }
            state.atWork[inode.node] = inode
            return inode
        }
    }

    private func finish(_ inode: Inode, _ isDropped: Bool) {
        let isLast = state.withLock { state in
            state.atWork[inode.node] = nil
            state.doneCount += 1
            if !isDropped { state.notDropped.append(inode) }
            return state.waiting.isEmpty && state.atWork.isEmpty
        }
        if isLast { ended.signal() }
    }

    /// Returns true when the kernel has no page of the inode any more, and will get none.
    private func drop(_ inode: Inode) -> Bool {
        files.notifier.invalidate(inode.node)
        // With no handle and no mapping, nobody can bring new pages in.
        guard inode.openFile != nil else { return true }
        guard let probe = CacheProbe(inode, in: files) else { return dropUnseen(inode) }
        repeat {
            // A write that had passed the kernel's check when the window began to close is in its cache once
            // this returns; one that comes later is refused (see WriteGuard).
            probe.waitForWriters()
            files.notifier.invalidate(inode.node)
            guard let pages = probe.cachedPageCount else { return dropUnseen(inode) }
            if pages == 0 { return true }
            usleep(500)
        } while !deadline.hasPassed
        return false
    }

    /// For a file that cannot be looked at: it was removed and we are not root, or the kernel is older than
    /// cachestat(2). Writers are given the time that a write takes whose memory is there.
    private func dropUnseen(_ inode: Inode) -> Bool {
        usleep(3000)
        files.notifier.invalidate(inode.node)
        return true
    }
}
