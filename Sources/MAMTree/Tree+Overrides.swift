// Opens in the mount against policy, by the daemon for root.

internal import CShims
package import MAMModel
package import MAMSystem
internal import Synchronization

extension Tree {
    /// What this thread opens in the mount inside `open`, policy and containment do not refuse. The
    /// caller records what becomes of the content.
    package func overriding(
        _ open: () throws(Errno) -> Descriptor
    ) throws(Errno) -> Descriptor {
        let thread = mam_thread_id()
        overridingThreads.withLock { _ = $0.insert(thread) }
        defer { overridingThreads.withLock { _ = $0.remove(thread) } }
        return try open()
    }

    package func isOverriding(_ thread: Int32) -> Bool {
        overridingThreads.withLock { $0.contains(thread) }
    }
}
