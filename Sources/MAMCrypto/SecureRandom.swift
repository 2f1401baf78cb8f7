// Random bytes from getrandom(2): safe across forks and virtual machine snapshots, and without
// state of our own to leak.

internal import CCrypto
package import MAMModel

/// The kernel's generator.
package enum SecureRandom {
    /// One system call per request: ask for all its nonces at once.
    ///
    /// libsodium makes one call per 256 bytes: 17 for a request of 1 MiB.
    package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // As libsodium does: sealing without random nonces would reveal the content.
        guard mam_random(start, bytes.count) == 1 else { fatalError("no source of randomness") }
    }

    /// 16 random bytes: the ID of a file, a key or an account.
    package static func bytes16() -> Bytes16 {
        var value: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return Bytes16(high: value.0, low: value.1)
    }
}
