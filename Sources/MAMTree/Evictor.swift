// Keeping the number of known inodes below the limit of open descriptors.

internal import Glibc
package import MAMSystem
internal import Synchronization

/// Makes the kernel forget inodes that nobody has open when too many are known: each costs a
/// descriptor.
package final class Evictor: Sendable {
    /// Inodes beyond this are too many; half of the descriptors stay for open files, sockets and
    /// look-ups.
    private let limit: Int
    /// Where the next look at all inodes is due: at the limit, or a part of it beyond what could
    /// not be forgotten. Otherwise every look-up would be followed by a look at all that is in use.
    private let threshold: Atomic<Int>
    private let wakeUp = WakeUp()

    package convenience init() {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        self.init(limit: Int(clamping: descriptors.rlim_cur / 2))
    }

    init(limit: Int) {
        self.limit = limit
        threshold = Atomic(limit)
    }

    /// Open files at a time: each costs two descriptors, and a fifth of all is left for what is
    /// only known.
    package var openLimit: Int { limit * 4 / 5 }

    /// Whether all threads may hold what they list open before anybody knows of it.
    package var hasRoomForListings: Bool { limit >= 8192 }

    /// Called with every new inode; costs a comparison below the limit.
    package func wake(knownCount: Int) {
        if knownCount > threshold.load(ordering: .relaxed) { wakeUp.signal() }
    }

    /// Runs a call that opens a descriptor, and waits a little for room where there is none left.
    package func makingRoom<Value>(_ call: () throws(Errno) -> Value) throws(Errno) -> Value {
        for _ in 0..<Self.patience {
            do throws(Errno) { return try call() } catch {
                guard error == .tooManyOpenFiles else { throw error }
            }
            wakeUp.signal()
            usleep(5000)
        }
        return try call()
    }

    /// Times 5 ms.
    private static let patience = 40

    package func start(_ tree: Tree) throws(Errno) {
        try startThread(named: "evictor") { [weak tree, weak self, wakeUp] in
            while true {
                wakeUp.wait()
                guard let tree, let self else { return }
                Self.evict(from: tree, keeping: limit / 2)
                setThreshold(tree)
            }
        }
    }

    private func setThreshold(_ tree: Tree) {
        // What the kernel forgets it tells on other threads.
        usleep(5000)
        let count = tree.table.count
        threshold.store(
            count > limit ? min(count + limit / 16, limit + limit / 2) : limit, ordering: .relaxed)
    }

    /// Asks the kernel to forget what has been known longest and is not in use. What stands in a
    /// directory before the directory, which is in use by that.
    private static func evict(from tree: Tree, keeping count: Int) {
        let known = tree.table.all.sorted { $0.order < $1.order }
        let chosen = known.prefix(max(0, known.count - count)).reversed()
            .filter { !$0.isInUse.load(ordering: .relaxed) }
        guard !chosen.isEmpty, !tree.cache.prune(chosen.map(\.node)) else { return }
        for inode in chosen where !inode.isDirectory { dropName(of: inode, in: tree) }
    }

    /// For kernels before 6.18. Never a directory's: one that is somebody's working directory would
    /// lose its path (getcwd fails).
    private static func dropName(of inode: Inode, in tree: Tree) {
        let (parent, name) = inode.withState { ($0.lastParent, $0.lastName) }
        if let name = name.terminated { tree.cache.invalidate(name, in: parent) }
    }
}

/// One waiting thread; signals that come while it works count as one.
private final class WakeUp: Sendable {
    private let semaphore = Semaphore()
    private let isPending = Atomic<Bool>(false)

    package func signal() {
        if !isPending.exchange(true, ordering: .relaxed) { semaphore.signal() }
    }

    package func wait() {
        semaphore.wait()
        isPending.store(false, ordering: .relaxed)
    }
}
