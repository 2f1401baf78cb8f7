// What the kernel keeps of the mounted files. The mount has it dropped; without a mount nothing is
// kept.

package import MAMSystem
package import MAMVault

/// The kernel's pages and attributes, by inode, and its names, by directory.
package protocol KernelCache: Sendable {
    /// Writes back and drops the pages and attributes of one inode. Blocks until the writes were
    /// served, so the caller must hold no lock that a request needs.
    func invalidate(_ node: UInt64)

    /// Drops one name, so that the next look-up finds what is there now.
    func invalidate(_ name: Name, in parent: UInt64)

    /// As ``invalidate(_:)``, later and on another thread. Never blocks.
    func invalidateSoon(_ inode: Inode)

    /// Asks for inodes that nobody uses to be forgotten; false if the kernel does not know how.
    func prune(_ nodes: [UInt64]) -> Bool

    /// Writes back and drops all pages of those inodes for which `isAffected` holds. Returns those
    /// that may still have pages at the deadline. Never call this from a thread that serves
    /// requests.
    func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode]
}

/// Where nothing is mounted.
package struct NoKernelCache: KernelCache {
    package func invalidate(_ node: UInt64) {}
    package func invalidate(_ name: Name, in parent: UInt64) {}
    package func invalidateSoon(_ inode: Inode) {}
    package func prune(_ nodes: [UInt64]) -> Bool { true }

    package func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode] { [] }
}

/// What a file system knows of its mount.
package struct Mounted {
    package let cache: any KernelCache
    package let transport: @Sendable () -> Transport
}
