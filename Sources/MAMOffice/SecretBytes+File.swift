// Secrets from files.

internal import Glibc
package import MAMCrypto
package import MAMModel
package import MAMSystem

extension SecretBytes {
    /// The first `limit` bytes of a file; one more than it may have shows that it is too long.
    package static func read(
        _ path: UnsafePointer<CChar>, atMost limit: Int
    ) throws(Errno) -> SecretBytes {
        try read(try openFile(path, O_RDONLY | O_NOCTTY | O_NONBLOCK), atMost: limit)
    }

    package static func read(
        _ file: Descriptor, atMost limit: Int
    ) throws(Errno) -> SecretBytes {
        let room = SecretBytes(count: limit)
        let count = try room.withMutableBytes { buffer throws(Errno) in
            try readFully(file.raw, into: buffer, at: 0)
        }
        return room.withBytes { SecretBytes(copying: .init(rebasing: $0[..<count])) }
    }
}
