// FUSE's requests and replies, as <linux/fuse.h> has them: Swift does not know that header.

import CFuse3
import Glibc

enum Opcode {
    static let lookUp: UInt32 = 1
    static let getAttributes: UInt32 = 3
    static let read: UInt32 = 15
    static let statfs: UInt32 = 17
    static let synchronize: UInt32 = 20
    static let initialize: UInt32 = 26
    static let create: UInt32 = 35
    static let forgetSeveral: UInt32 = 42
    static let tmpfile: UInt32 = 51
}

/// The bits of INIT that the transport knows.
enum InitFlag {
    static let maxPages: UInt32 = 1 << 22
    static let parallelDirectories: UInt32 = 1 << 18
    static let killPrivileges: UInt32 = 1 << 28
    static let extended: UInt32 = 1 << 30
    /// Of `flags2`.
    static let overRing: UInt32 = 1 << 9
}

/// `fuse_in_header`.
struct RequestHead {
    static let byteCount = 40

    let opcode: UInt32
    let unique: UInt64

    init(opcode: UInt32, unique: UInt64) {
        self.opcode = opcode
        self.unique = unique
    }

    init(_ bytes: UnsafeRawPointer) {
        opcode = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        unique = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    func message(_ body: [UInt32] = []) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount + 4 * body.count)
        bytes.withUnsafeMutableBytes { room in
            room.storeBytes(of: UInt32(room.count), as: UInt32.self)
            room.storeBytes(of: opcode, toByteOffset: 4, as: UInt32.self)
            room.storeBytes(of: unique, toByteOffset: 8, as: UInt64.self)
            for (index, word) in body.enumerated() {
                room.storeBytes(
                    of: word, toByteOffset: Self.byteCount + 4 * index, as: UInt32.self)
            }
        }
        return bytes
    }

    /// `fuse_read_in`: handle, offset, size and more.
    static func readBody(byteCount: Int) -> [UInt32] {
        [0, 0, 0, 0, UInt32(byteCount), 0, 0, 0, 0, 0]
    }

    /// `fuse_init_in`.
    static func initBody(flags: UInt32, flags2: UInt32) -> [UInt32] {
        [7, 38, 1 << 20, flags, flags2] + [UInt32](repeating: 0, count: 11)
    }
}

/// `fuse_init_out`, as libfuse 3.14 fills it in.
func initAnswer(maxWrite: UInt32 = 1 << 20) -> [UInt32] {
    let pages = maxWrite / 4096
    return [7, 34, 1 << 17, InitFlag.maxPages | InitFlag.extended, 0, maxWrite, 1, pages]
        + [UInt32](repeating: 0, count: 8)
}

/// `fuse_attr`.
private func attributes(_ kind: mode_t) -> [UInt32] {
    // inode, size, blocks, times, then: nanoseconds, mode, links, owner, group, device, block size
    [7, 0] + [UInt32](repeating: 0, count: 13) + [UInt32(kind) | 0o755, 1] + [0, 0, 0, 4096, 0]
}

/// `fuse_entry_out` of a file whose name is to be looked up each time.
func entryAnswer(_ node: UInt32) -> [UInt32] {
    [node, 0, 0, 0, 0, 0, 60, 0, 0, 0] + attributes(S_IFREG)
}

/// `fuse_attr_out` of a directory.
let directoryAnswer: [UInt32] = [60, 0, 0, 0] + attributes(S_IFDIR)

/// Writes a reply as libfuse does: the header, and a part for the rest.
@discardableResult
func reply(
    to head: RequestHead, _ body: [UInt32] = [], error: Int32 = 0, on device: Int32,
    _ context: OpaquePointer
) -> Int {
    var (header, body) = ([UInt32](repeating: 0, count: 4), body)
    header[0] = UInt32(16 + 4 * body.count)
    header[1] = UInt32(bitPattern: -error)
    header[2] = UInt32(truncatingIfNeeded: head.unique)
    header[3] = UInt32(head.unique >> 32)
    return header.withUnsafeMutableBytes { first in
        body.withUnsafeMutableBytes { second in
            var parts = [
                iovec(iov_base: first.baseAddress, iov_len: first.count),
                iovec(iov_base: second.baseAddress, iov_len: second.count),
            ]
            return mam_transport_writev(
                device, &parts, second.isEmpty ? 1 : 2, UnsafeMutableRawPointer(context))
        }
    }
}
