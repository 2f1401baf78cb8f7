// Memory for plaintext on its way to the kernel, zeroed before reuse.

internal import CTransport
internal import Glibc
internal import MAMModel
internal import MAMSystem

/// Page-aligned, 1 MiB at most, the largest request. Zeroed when released; memory that the kernel
/// reads a reply from, once it has been read.
struct ReplyBuffer: ~Copyable {
    static let byteCount = 1 << 20

    /// As many bytes as requested, at most ``byteCount``.
    let bytes: UnsafeMutableRawBufferPointer
    /// Nil for the transport's memory.
    private let start: UnsafeMutableRawPointer?

    init(count: Int = byteCount, in mount: borrowing Mount) {
        let count = min(max(count, 0), Self.byteCount)
        let room = mam_transport_reply_room(mount.requestTransport.context, count)
        start = room == nil ? Self.pool.take() : nil
        bytes = UnsafeMutableRawBufferPointer(start: room ?? start, count: count)
    }

    deinit {
        guard let start else { return }
        explicit_bzero(start, bytes.count)
        Self.pool.giveBack(start)
    }

    private static let pool = BufferPool(byteCount: byteCount)
}
