// What the tree asks of the kernel, where there is none.

internal import MAMLocks
package import MAMModel
package import MAMSystem
package import MAMTree
internal import TestSupport

/// Keeps what it was asked, and does what the test says.
package final class RecordingCache: KernelCache {
    package enum Call: Equatable, Sendable {
        case pages(UInt64)
        case name(ByteString, in: UInt64)
        case soon(UInt64)
        case attend(UInt64)
        case prune([UInt64])
        /// Those that were affected.
        case purge([UInt64])
    }

    package typealias Purge = @Sendable (_ affected: [Inode], Deadline) -> [Inode]

    private let kept = Guarded<[Call]>([])
    private let purging = Guarded<Purge?>(nil)
    private let forgetting = Guarded<(@Sendable () -> Void)?>(nil)
    private let knowsPrune = Guarded(true)
    private let heard = Semaphore()

    package init() {}

    package var calls: [Call] { kept.withLock { $0 } }

    /// As a kernel before 6.18.
    package func knowNoPrune() { knowsPrune.withLock { $0 = false } }

    /// From now on a purge does this; what it returns has pages left.
    package func onPurge(_ purge: Purge?) { purging.withLock { $0 = purge } }

    /// From now on this is done whenever a name is to be forgotten.
    package func onName(_ body: @escaping @Sendable () -> Void) {
        forgetting.withLock { $0 = body }
    }

    private func keep(_ call: Call) {
        kept.withLock { $0.append(call) }
        heard.signal()
    }

    /// Waits for the next call that was not waited for; false if there is none in time.
    package func waitForCall() -> Bool { heard.wait(until: .patient) }

    package func invalidate(_ node: UInt64) { keep(.pages(node)) }

    package func invalidate(_ name: Name, in parent: UInt64) {
        keep(.name(ByteString(cString: name), in: parent))
        forgetting.withLock { $0 }?()
    }

    package func invalidateSoon(_ inode: Inode) { keep(.soon(inode.node)) }

    package func attend(to inode: Inode) { keep(.attend(inode.node)) }

    package func awaitAttention() {}

    package func prune(_ nodes: [UInt64]) -> Bool {
        keep(.prune(nodes))
        return knowsPrune.withLock { $0 }
    }

    package func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode] {
        let affected = inodes.filter(isAffected)
        keep(.purge(affected.map(\.node).sorted()))
        return purging.withLock { $0 }?(affected, deadline) ?? []
    }
}
