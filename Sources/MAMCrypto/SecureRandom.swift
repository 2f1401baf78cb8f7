// Random bytes, from getrandom(2): safe across fork and copies of a machine, and no state of ours
// to leak.

internal import CCrypto
package import MAMModel

/// The system's generator.
package enum SecureRandom {
    /// One system call for as much as a request needs: ask for all its nonces at once.
    ///
    /// libsodium would make one for each 256 bytes: 17 of them for a request of 1 MiB.
    package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // As libsodium does: without random bytes, sealing would reveal the content.
        guard mam_random(start, bytes.count) == 1 else { fatalError("no source of randomness") }
    }

    /// 16 random bytes: the name of a file, a key or an account.
    package static func bytes16() -> Bytes16 {
        var value: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return Bytes16(high: value.0, low: value.1)
    }
}
