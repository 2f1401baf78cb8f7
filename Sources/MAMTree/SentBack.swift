// Requests that were answered `ESTALE`, as their inode was replaced.

internal import MAMLocks
package import MAMModel
internal import Synchronization

/// Knows which look-ups the kernel drops.
///
/// A thread that is sent back looks the name up. If the kernel still has the inode of the former
/// number for it, it finds that the name leads to another one, forgets that look-up, and makes a
/// new one. Through /dev/fuse the FORGET can be read after requests that follow it.
package final class SentBack: Sendable {
    private struct Way {
        let file: BackingID
        let former: UInt64
        var found: UInt64?
        /// The thread has looked the name up twice.
        var hasDropped = false
    }

    /// By thread.
    private let ways = Guarded<[Int32: Way]>([:])
    private let count = Atomic<Int>(0)

    /// For more a dropped look-up may be taken for an eviction.
    private static let maximumCount = 64

    private func change<Result>(_ body: (inout [Int32: Way]) -> Result) -> Result {
        ways.withLock { ways in
            defer { count.store(ways.count, ordering: .relaxed) }
            return body(&ways)
        }
    }

    private var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// What a request is answered that comes for a replaced inode.
    package func add(_ inode: Inode, for caller: Caller) -> Errno {
        // Threads outside of the daemon's namespace are all number 0.
        if caller.thread != 0 {
            let way = Way(file: inode.backingID, former: inode.node)
            change { ways in
                if ways.count >= Self.maximumCount { ways = ways.filter { $0.value.found != nil } }
                if ways.count < Self.maximumCount { ways[caller.thread] = way }
            }
        }
        return .staleHandle
    }

    /// A look-up leads to this inode.
    package func found(_ inode: Inode, for caller: Caller) {
        if isEmpty { return }
        let file = inode.backingID
        change { ways in
            guard var way = ways.removeValue(forKey: caller.thread) else { return }
            if way.file != file {
                if way.found != nil, !way.hasDropped { return }
            } else if way.found == nil {
                if way.former != inode.node { way.found = inode.node }
            } else {
                way.hasDropped = true
            }
            ways[caller.thread] = way
        }
    }

    /// Its look-ups have ended: if it made one, that was not dropped.
    package func ends(_ caller: Caller) {
        if isEmpty { return }
        change { ways in
            if ways[caller.thread]?.hasDropped == false { ways[caller.thread] = nil }
        }
    }

    /// The kernel has no inode of the number any more, so that it drops no look-up for its sake.
    func isForgotten(_ node: UInt64) {
        if isEmpty { return }
        change { ways in
            ways = ways.filter { _, way in
                way.found != node && (way.former != node || way.hasDropped)
            }
        }
    }

    /// Whether the kernel dropped a look-up of this inode; true once for each.
    func takeDropped(_ inode: Inode) -> Bool {
        if isEmpty { return false }
        return change { ways in
            let thread = ways.first { $0.value.found == inode.node }?.key
            return thread.flatMap { ways.removeValue(forKey: $0) } != nil
        }
    }
}
