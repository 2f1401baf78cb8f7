// Reusable page-aligned buffers.

internal import Glibc
internal import MAMLocks
internal import MAMModel
internal import Synchronization

/// Buffers of one size. The caller owns a buffer until it returns it, and leaves no plaintext in
/// it.
///
/// Each processor has an idle one of its own, whose content may still be in its cache; what is more
/// is for all.
package final class BufferPool: Sendable {
    private struct Buffer: @unchecked Sendable {
        // Owned by the thread that took it out of `idle`, so never shared.
        let start: UnsafeMutableRawPointer
    }

    private static let maximumIdle = 16
    private static let maximumOwn = 8
    private let byteCount: Int
    /// The address of a buffer, or 0.
    private let own = PerProcessor(most: maximumOwn)
    private let idle = Guarded<[Buffer]>([])

    package init(byteCount: Int) { self.byteCount = byteCount }

    package func take() -> UnsafeMutableRawPointer {
        let address = own[own.here].pointee.value.exchange(0, ordering: .acquiring)
        if let start = UnsafeMutableRawPointer(bitPattern: address) { return start }
        let buffer: Buffer? = idle.withLock { $0.popLast() }
        return buffer?.start ?? .allocate(byteCount: byteCount, alignment: 4096)
    }

    package func giveBack(_ start: UnsafeMutableRawPointer) {
        let (isOwn, _) = own[own.here].pointee.value.compareExchange(
            expected: 0, desired: Int(bitPattern: start), ordering: .releasing)
        if isOwn { return }
        let buffer = Buffer(start: start)
        let isKept = idle.withLock { idle in
            if idle.count >= Self.maximumIdle - Self.maximumOwn { return false }
            idle.append(buffer)
            return true
        }
        if !isKept { start.deallocate() }
    }
}
