// Having the kernel's cache written back and dropped.

internal import Glibc
package import MAMSystem
internal import MAMTree
package import MAMVault
internal import Synchronization

extension FileSystem: VaultMount {
    package func purge(
        until deadline: Deadline,
        _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64] {
        let files = table.all.filter(\.isRegular)
        return cache.purge(files, until: deadline) { isAffected($0.cached) }.map(\.node)
    }

    package func stragglers(_ nodes: [UInt64]) -> [Straggler] {
        let files = nodes.compactMap { try? table.inode($0) }.compactMap { inode in
            mountedPath(of: inode).map { (inode, $0.withoutDeletionMark) }
        }
        let users = processes(
            holding: Set(files.map(\.1)), until: Deadline(milliseconds: Self.patience))
        return files.map { inode, path in
            Straggler(path: path, processes: users[path] ?? lastOpener(of: inode))
        }
    }

    /// Where the descriptors of others' programs are not the daemon's to see, as in the sandbox of
    /// the unit: who opened the file last, if that program is still there.
    private func lastOpener(of inode: Inode) -> [ProcessName] {
        let thread = inode.withState { $0.lastOpener }
        return processID(ofThread: thread).map { [ProcessName($0)] } ?? []
    }

    /// Milliseconds for the memory maps of all processes. The caller of a lock waits for the names
    /// of those that are in its way.
    private static var patience: Int { 500 }

    /// Takes no new writes, and has everything written back that the kernel has not sent yet: before the
    /// daemon ends. Returns what is in the way of that at the deadline.
    package func writeBack(until deadline: Deadline) -> [Straggler] {
        beginStopping()
        let left = purge(until: deadline) { $0.isOpen }
        return left.isEmpty ? [] : stragglers(left)
    }

    /// What is served from now on is kept by this cache.
    ///
    /// `transport`: how requests come, once the first was answered.
    package func attach(
        _ cache: any KernelCache, transport: @escaping @Sendable () -> Transport
    ) throws(Errno) {
        mounted.withLock { $0 = Mounted(cache: cache, transport: transport) }
        try evictor.start(self)
    }

    var cache: any KernelCache { mounted.withLock { $0.cache } }

    package var transport: Transport { mounted.withLock { $0.transport }() }
}
