// The kernel's cache of the tree while it is mounted.

package import MAMModel
internal import MAMSystem
internal import Synchronization

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
