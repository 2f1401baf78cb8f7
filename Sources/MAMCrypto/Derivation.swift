// Derives keys from keys and from passphrases.

internal import CCrypto
internal import CSodium
package import MAMModel
internal import Synchronization

/// Why a key could not be derived.
package enum DerivationError: Error {
    /// The cost is below the minimum of Argon2id: 1 pass and 8 KiB.
    case costOutOfRange
    /// There is not enough memory for the requested cost.
    case outOfMemory
    /// The input has been erased, or OpenSSL failed.
    case failure
}

/// Key derivation.
package enum Derivation {
    /// The length of every derived key.
    package static let byteCount = 32

    /// HKDF-SHA256 (RFC 5869), extract then expand to 32 bytes. `info` is UTF-8 without a
    /// terminator.
    package static func hkdf(
        input: SecretBytes, salt: UnsafeRawBufferPointer, info: String
    ) throws(DerivationError) -> SecretBytes {
        var info = info
        // withUTF8 rethrows any error; the result carries a typed one across.
        let result: Result<SecretBytes, DerivationError> = info.withUTF8 { utf8 in
            do throws(DerivationError) {
                return .success(
                    try hkdf(input: input, salt: salt, infoBytes: UnsafeRawBufferPointer(utf8)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// The same, with the salt's bytes in file order.
    package static func hkdf(
        input: SecretBytes, salt: Bytes16, info: String
    ) throws(DerivationError) -> SecretBytes {
        try salt.withFileBytes { salt throws(DerivationError) in
            try hkdf(input: input, salt: salt, info: info)
        }
    }

    /// Takes arbitrary bytes for `info`, and the salt's in file order.
    package static func hkdf(
        input: SecretBytes, salt: Bytes16, infoBytes info: [UInt8]
    ) throws(DerivationError) -> SecretBytes {
        try salt.withFileBytes { salt throws(DerivationError) in
            try info.span.withUnsafeBytes { info throws(DerivationError) in
                try hkdf(input: input, salt: salt, infoBytes: info)
            }
        }
    }

    /// Takes arbitrary bytes for `info`.
    package static func hkdf(
        input: SecretBytes, salt: UnsafeRawBufferPointer, infoBytes info: UnsafeRawBufferPointer
    ) throws(DerivationError) -> SecretBytes {
        try input.withBytes { input throws(DerivationError) in
            guard !input.isEmpty else { throw .failure }
            return try SecretBytes(count: byteCount) { output throws(DerivationError) in
                let done = mam_hkdf_sha256(
                    octets(output), output.count, octets(input), input.count, octets(salt),
                    salt.count, octets(info), info.count)
                guard done == 1 else { throw .failure }
            }
        }
    }

    // Concurrent derivations would each need the full memory.
    private static let oneAtATime = Mutex(())

    /// Argon2id (RFC 9106, version 0x13, parallelism 1) to 32 bytes, one at a time in this process.
    ///
    /// Accepts an empty passphrase; callers that require one check that themselves.
    package static func argon2id(
        passphrase: SecretBytes, salt: Bytes16, passes: UInt32, memoryByteCount: UInt64
    ) throws(DerivationError) -> SecretBytes {
        guard passes >= 1, memoryByteCount >= minimumMemoryByteCount,
            let memory = Int(exactly: memoryByteCount), memory <= crypto_pwhash_memlimit_max()
        else { throw .costOutOfRange }
        return try passphrase.withBytes { bytes throws(DerivationError) in
            guard bytes.count == passphrase.count else { throw .failure }
            return try SecretBytes(count: byteCount) { output throws(DerivationError) in
                let status = oneAtATime.withLock { _ in
                    salt.withFileBytes { salt in
                        mam_argon2id(
                            output.baseAddress, output.count, bytes.baseAddress, bytes.count,
                            salt.baseAddress, UInt64(passes), memory)
                    }
                }
                guard status == 0 else { throw .outOfMemory }
            }
        }
    }

    /// libsodium's `crypto_pwhash_MEMLIMIT_MIN`.
    package static let minimumMemoryByteCount: UInt64 = 8192

    private static func octets(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }

    private static func octets(
        _ bytes: UnsafeMutableRawBufferPointer
    ) -> UnsafeMutablePointer<UInt8>? {
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    }
}

extension Bytes16 {
    /// In file order, as FORMAT.md shows salts.
    fileprivate func withFileBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes throws(Failure) in
            try body(bytes)
        }
    }
}
