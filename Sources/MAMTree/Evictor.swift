// Keeps the number of known inodes below the limit on descriptors.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// Makes the kernel forget unused inodes when too many are known: each holds a descriptor.
package final class Evictor: Sendable {
    /// The limit on known inodes; half of the descriptors stay free for open files, sockets and
    /// look-ups.
    private let limit: Int
    /// The count at which the inodes are next scanned: the limit, or some way above the number that
    /// could not be evicted. Otherwise every look-up would trigger a scan of inodes in use.
    private let threshold: Atomic<Int>
    private let wakeUp = WakeUp()

    package convenience init() {
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        self.init(limit: Int(clamping: descriptors.rlim_cur / 2))
    }

    package init(limit: Int) {
        self.limit = limit
        threshold = Atomic(limit)
    }

    /// The limit on open files: each takes two descriptors, and a fifth stays for inodes that are
    /// only known.
    package var openLimit: Int { limit * 4 / 5 }

    /// Whether every thread may open files ahead while it lists a directory.
    package var hasRoomForListings: Bool { limit >= 8192 }

    /// Called for every new inode; below the limit it costs one comparison.
    package func wake(knownCount: Int) {
        if knownCount > threshold.load(ordering: .relaxed) { wakeUp.signal() }
    }

    /// Runs a call that opens a descriptor; if none is left, waits briefly for an eviction.
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

    /// In units of 5 ms.
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
        // The kernel's FORGET requests arrive on other threads.
        usleep(5000)
        let count = tree.table.count
        threshold.store(
            count > limit ? min(count + limit / 16, limit + limit / 2) : limit, ordering: .relaxed)
    }

    /// Asks the kernel to forget the oldest unused inodes. Children before their directories, which
    /// they keep in use.
    private static func evict(from tree: Tree, keeping count: Int) {
        let known = tree.table.all
        let unused = known.filter { !$0.isInUse.load(ordering: .relaxed) }
            .sorted { $0.order < $1.order }
        let chosen = unused.prefix(max(0, known.count - count)).reversed()
        guard !chosen.isEmpty, !tree.cache.prune(chosen.map(\.node)) else { return }
        for inode in chosen where !inode.isDirectory { dropName(of: inode, in: tree) }
    }

    /// For kernels before 6.18. Not for directories: one that is a working directory would lose its
    /// path (getcwd fails).
    private static func dropName(of inode: Inode, in tree: Tree) {
        let (parent, name) = inode.withState { ($0.lastParent, $0.lastName) }
        if let name = name.terminated { tree.cache.invalidate(name, in: parent) }
    }
}

/// Wakes one waiting thread; signals during its work count as one.
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
