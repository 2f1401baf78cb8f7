// Memory for plaintext on its way to the kernel, used again and zeroed in between.

internal import Glibc
internal import MAMSystem

/// A buffer of at most the largest request, 1 MiB, page-aligned. What it held is zeroed when it goes.
struct ReplyBuffer: ~Copyable {
    static let byteCount = 1 << 20

    /// As many bytes as were asked for, or the largest request's.
    let bytes: UnsafeMutableRawBufferPointer
    private let start: UnsafeMutableRawPointer

    init(count: Int = byteCount) {
        start = Self.pool.take()
        bytes = UnsafeMutableRawBufferPointer(
            start: start, count: min(max(count, 0), Self.byteCount))
    }

    deinit {
        explicit_bzero(start, bytes.count)
        Self.pool.giveBack(start)
    }

    private static let pool = BufferPool(byteCount: byteCount)
}
