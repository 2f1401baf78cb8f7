// The kernel's cache of mounted files. The mount implements this; without a mount nothing is
// cached.

package import MAMFormat
package import MAMModel
package import MAMSystem
package import MAMVault
internal import Synchronization

/// The kernel's pages and attributes by inode, and its names by directory.
package protocol KernelCache: Sendable {
    /// Writes back and drops one inode's pages and attributes. Blocks until the writes are served:
    /// the caller must not hold a lock that a request needs.
    func invalidate(_ node: UInt64)

    /// Drops one name, so that the next look-up sees the current file.
    func invalidate(_ name: Name, in parent: UInt64)

    /// Does ``invalidate(_:)`` on another thread. Never blocks.
    func invalidateSoon(_ inode: Inode)

    /// Has the kernel ask before the inode's next write, and where a write-back was lost take the
    /// size at which the file's data ends. On another thread; never blocks.
    func attend(to inode: Inode)

    /// Waits a moment while that is under way.
    func awaitAttention()

    /// Asks the kernel to forget unused inodes; false if it lacks the operation.
    func prune(_ nodes: [UInt64]) -> Bool

    /// Writes back and drops all pages of the inodes for which `isAffected` holds. Returns those
    /// that may still have pages at the deadline. Never call this from a thread that serves
    /// requests.
    func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode]
}

/// For a tree that is not mounted.
package struct NoKernelCache: KernelCache {
    package func invalidate(_ node: UInt64) {}
    package func invalidate(_ name: Name, in parent: UInt64) {}
    package func invalidateSoon(_ inode: Inode) {}
    package func attend(to inode: Inode) {}
    package func awaitAttention() {}
    package func prune(_ nodes: [UInt64]) -> Bool { true }

    package func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode] { [] }
}

/// A tree's connection to its mount.
package struct Mounted {
    package let cache: any KernelCache
    package let transport: @Sendable () -> Transport
}

/// What decides whether the kernel's cache of a file has to go. For a file in use, reading it takes
/// no lock that is held across a system call on the backing file, because the disk may hang.
package enum CachedFile: Sendable {
    case open(VaultFile)
    /// Its header when last read; nil for a file without one.
    case closed(FileHeader?)

    package var isOpen: Bool { if case .open = self { true } else { false } }
}

extension Tree {
    /// Connects the tree to its mount.
    ///
    /// `transport`: how requests arrive; known once the first was answered.
    package func attach(
        _ cache: any KernelCache, transport: @escaping @Sendable () -> Transport
    ) throws(Errno) {
        mounted.withLock { $0 = Mounted(cache: cache, transport: transport) }
        try evictor.start(self)
    }

    package var cache: any KernelCache { mounted.withLock { $0.cache } }

    package var transport: Transport { mounted.withLock { $0.transport }() }
}
