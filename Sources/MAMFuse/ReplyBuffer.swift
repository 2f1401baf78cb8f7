// Memory for plaintext on its way to the kernel, used again and zeroed in between.

internal import Glibc
internal import Synchronization

/// A buffer of at most the largest request, 1 MiB, page-aligned. What it held is zeroed when it goes.
struct ReplyBuffer: ~Copyable {
    static let byteCount = 1 << 20

    /// As many bytes as were asked for, or the largest request's.
    let bytes: UnsafeMutableRawBufferPointer
    private let memory: Memory

    init(count: Int = byteCount) {
        memory = Self.idle.withLock { $0.popLast() } ?? Memory()
        bytes = UnsafeMutableRawBufferPointer(
            rebasing: memory.bytes[..<min(max(count, 0), Self.byteCount)])
    }

    deinit {
        if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
        let memory = memory
        let isKept = Self.idle.withLock { idle in
            if idle.count >= Self.maximumIdle { return false }
            idle.append(memory)
            return true
        }
        if !isKept { memory.bytes.deallocate() }
    }

    private static let maximumIdle = 16
    private static let idle = Mutex<[Memory]>([])

    /// Owned by whoever took it out of `idle`, so it is never shared.
    private struct Memory: @unchecked Sendable {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: ReplyBuffer.byteCount, alignment: 4096)
    }
}
