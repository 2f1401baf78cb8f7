// What the kernel has cached of the tree, while it is mounted.

package import MAMSystem
package import MAMVault
internal import Synchronization

extension Tree {
    /// What is served from now on is kept by this cache.
    ///
    /// `transport`: how requests come, once the first was answered.
    package func attach(
        _ cache: any KernelCache, transport: @escaping @Sendable () -> Transport
    ) throws(Errno) {
        mounted.withLock { $0 = Mounted(cache: cache, transport: transport) }
        try evictor.start(self)
    }

    package var cache: any KernelCache { mounted.withLock { $0.cache } }

    package var transport: Transport { mounted.withLock { $0.transport }() }
}
