// Reusable page-aligned buffers.

internal import Glibc

/// Buffers of one size. The caller owns a buffer until it returns it, and leaves no plaintext in
/// it.
package final class BufferPool: Sendable {
    private struct Buffer: @unchecked Sendable {
        // Owned by the thread that took it out of `idle`, so never shared.
        let start: UnsafeMutableRawPointer
    }

    private static let maximumIdle = 16
    private let byteCount: Int
    private let idle = Guarded<[Buffer]>([])

    package init(byteCount: Int) { self.byteCount = byteCount }

    package func take() -> UnsafeMutableRawPointer {
        let buffer: Buffer? = idle.withLock { $0.popLast() }
        return buffer?.start ?? .allocate(byteCount: byteCount, alignment: 4096)
    }

    package func giveBack(_ start: UnsafeMutableRawPointer) {
        let buffer = Buffer(start: start)
        let isKept = idle.withLock { idle in
            if idle.count >= Self.maximumIdle { return false }
            idle.append(buffer)
            return true
        }
        if !isKept { start.deallocate() }
    }
}
