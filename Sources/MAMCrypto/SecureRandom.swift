// Random bytes, from getrandom(2) by way of libsodium: safe across fork, and no state of ours to leak.

internal import CSodium
package import MAMModel

/// The system's generator.
package enum SecureRandom {
    /// One system call for up to 256 bytes: ask for the nonces of a whole request at once.
    package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        startCrypto()
        guard let start = bytes.baseAddress else { return }
        randombytes_buf(start, bytes.count)
    }

    /// 16 random bytes: the name of a file, a key or an account.
    package static func bytes16() -> Bytes16 {
        var value: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return Bytes16(high: value.0, low: value.1)
    }
}
