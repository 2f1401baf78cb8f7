// Memory for plaintext on its way to the kernel, used again and zeroed in between.

internal import CTransport
internal import Glibc
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

/// A buffer of at most the largest request, 1 MiB, page-aligned. What it held is zeroed when it goes; where the kernel takes the
/// reply to a READ from this very memory, once it has done so.
struct ReplyBuffer: ~Copyable {
    static let byteCount = 1 << 20

    /// As many bytes as were asked for, or the largest request's.
    let bytes: UnsafeMutableRawBufferPointer
    /// Nil if it is not ours.
    private let start: UnsafeMutableRawPointer?

    init(count: Int = byteCount, in mount: Mount) {
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
