// Random bytes from the kernel's generator: safe across forks and virtual machine snapshots, and
// without state of our own to leak.

internal import CShims
internal import CSodium
package import MAMModel

/// The kernel's generator.
package enum SecureRandom {
    package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // As libsodium does: sealing without random nonces would reveal the content.
        guard mam_random(start, bytes.count) == 1 else { fatalError("no source of randomness") }
    }

    /// Nonces, which are no secret: beyond 256 bytes, ChaCha20 expands 32 bytes of the kernel's.
    ///
    /// The kernel takes 18 us for the 258 nonces of 1 MiB, and a seed per call keeps what a
    /// generator in this process would lose: no fork and no copy of a virtual machine repeats them.
    package static func fillNonces(_ nonces: UnsafeMutableRawBufferPointer) {
        guard nonces.count > 256 else { return fill(nonces) }
        var seed = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        withUnsafeMutableBytes(of: &seed) { seed in
            fill(seed)
            mam_expand(nonces.baseAddress, nonces.count, seed.baseAddress)
        }
    }

    /// 16 random bytes: the ID of a file, a key or an account.
    package static func bytes16() -> Bytes16 {
        var value: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return Bytes16(high: value.0, low: value.1)
    }
}
