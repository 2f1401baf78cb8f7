// The private half of an organisation's recovery key, in a file that the administrator keeps:
// docs/FORMAT.md, section 8.

package import MAMCrypto
package import MAMFormat
internal import MAMModel

/// Its 160 bytes are secret, unless sealed under a passphrase.
package enum RecoveryKeyFile {
    package static let byteCount = 160
    private static let version: UInt16 = 1
    private static let info = "mamd recovery key v1"
    /// `\x89MAMO\r\n\x1a`
    private static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x4F, 0x0D, 0x0A, 0x1A]

    private enum Offset {
        static let flags = 10
        static let passes = 12
        static let memory = 16
        static let salt = 32
        static let publicKey = 48..<80
        static let wrapped = 80..<144
        static let plainKey = 96..<128
        static let checksum = 156
        static let reserved = [11..<12, 24..<32, 144..<156]
        static let passphraseOnly = [12..<24, 32..<48, 80..<96, 128..<144]
    }

    package enum Failure: Error, Equatable, Sendable {
        case notAKey
        case newerVersion(Int)
        case damaged
        case passphraseRequired
        case passphraseNotUsed
        case wrongPassphrase
        case derivation(DerivationError)
    }

    /// Generates a key pair.
    package static func make(
        passphrase: SecretBytes?, cost: KeyDerivationCost = .standard
    ) throws(Failure) -> (publicKey: RecoveryPublicKey, file: SecretBytes) {
        let pair: Curve25519.KeyPair
        do throws(SealError) { pair = try Curve25519.KeyPair.random() } catch {
            throw .derivation(.failure)
        }
        let publicKey = RecoveryPublicKey(pair.publicKey)
        let file = SecretBytes(count: byteCount)
        try file.withMutableBytes { buffer throws(Failure) in
            fillHead(buffer, publicKey)
            if let passphrase {
                try sealKey(of: pair, in: buffer, passphrase, cost)
            } else {
                pair.privateKey.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[Offset.plainKey])
                        .copyMemory(from: $0)
                }
            }
            let sum = Checksum.crc32(
                UnsafeRawBufferPointer(buffer).bytes, count: Offset.checksum)
            buffer.storeBytes(of: sum.littleEndian, toByteOffset: Offset.checksum, as: UInt32.self)
        }
        return (publicKey, file)
    }

    /// True if its first bytes, which are not secret, say that it needs a passphrase.
    package static func isSealed(_ head: [UInt8]) -> Bool {
        head.count > Offset.flags && head.starts(with: magic) && head[Offset.flags] & 1 == 1
    }

    /// `user`: the caller's, for the fair lock.
    package static func open(
        _ file: SecretBytes, passphrase: SecretBytes?, for user: UInt32 = 0
    ) throws(Failure) -> Curve25519.KeyPair {
        let pair = try file.withBytes { buffer throws(Failure) in
            let isSealed = try check(buffer.bytes)
            guard isSealed else {
                guard passphrase == nil else { throw .passphraseNotUsed }
                let key = SecretBytes(copying: .init(rebasing: buffer[Offset.plainKey]))
                return try Self.pair(key)
            }
            guard let passphrase else { throw .passphraseRequired }
            return try Self.pair(openKey(in: buffer, passphrase, for: user))
        }
        let publicKey = file.withBytes {
            RecoveryPublicKey(reading: $0.bytes, at: Offset.publicKey.lowerBound)
        }
        guard RecoveryPublicKey(pair.publicKey) == publicKey else { throw .damaged }
        return pair
    }

    private static func pair(_ key: SecretBytes) throws(Failure) -> Curve25519.KeyPair {
        do throws(SealError) { return try Curve25519.KeyPair(privateKey: key) } catch {
            throw .damaged
        }
    }

    /// Whether it is sealed; rejects everything that ``make(passphrase:cost:)`` would not write.
    private static func check(_ bytes: RawSpan) throws(Failure) -> Bool {
        let isOurs =
            bytes.byteCount >= Offset.flags
            && magic.indices.allSatisfy {
                bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) == magic[$0]
            }
        guard isOurs else { throw .notAKey }
        let found = bytes.integer(UInt16.self, at: 8)
        guard found <= version else { throw .newerVersion(Int(found)) }
        guard bytes.byteCount == byteCount, found == version,
            bytes.integer(UInt32.self, at: Offset.checksum)
                == Checksum.crc32(bytes, count: Offset.checksum),
            Offset.reserved.allSatisfy({ bytes.isZero($0) })
        else { throw .damaged }
        let flags = bytes.integer(UInt8.self, at: Offset.flags)
        guard flags <= 1, flags == 1 || Offset.passphraseOnly.allSatisfy({ bytes.isZero($0) })
        else {
            throw .damaged
        }
        return flags == 1
    }

    // MARK: The passphrase

    private static func sealKey(
        of pair: Curve25519.KeyPair, in buffer: UnsafeMutableRawBufferPointer,
        _ passphrase: SecretBytes, _ cost: KeyDerivationCost
    ) throws(Failure) {
        let salt = SecureRandom.bytes16()
        var span = buffer.mutableBytes
        span.store(UInt8(1), at: Offset.flags)
        span.store(cost.passes, at: Offset.passes)
        span.store(cost.memoryByteCount, at: Offset.memory)
        salt.write(to: &span, at: Offset.salt)
        let key = try wrappingKey(
            passphrase, cost, salt, of: .init(rebasing: buffer[Offset.publicKey]), for: 0)
        do throws(SealError) {
            try KeyWrap.wrap(
                pair.privateKey, under: key,
                associatedData: .init(rebasing: buffer[..<Offset.wrapped.lowerBound]),
                into: .init(rebasing: buffer[Offset.wrapped]))
        } catch { throw .derivation(.failure) }
    }

    private static func openKey(
        in buffer: UnsafeRawBufferPointer, _ passphrase: SecretBytes, for user: UInt32
    ) throws(Failure) -> SecretBytes {
        let bytes = buffer.bytes
        let cost = KeyDerivationCost(
            passes: bytes.integer(UInt32.self, at: Offset.passes),
            memoryByteCount: bytes.integer(UInt64.self, at: Offset.memory))
        guard let cost, cost.isBearable else { throw .damaged }
        let key = try wrappingKey(
            passphrase, cost, Bytes16(reading: bytes, at: Offset.salt),
            of: .init(rebasing: buffer[Offset.publicKey]), for: user)
        do throws(SealError) {
            return try KeyWrap.unwrap(
                .init(rebasing: buffer[Offset.wrapped]), under: key,
                associatedData: .init(rebasing: buffer[..<Offset.wrapped.lowerBound]))
        } catch {
            throw error == .notAuthentic ? .wrongPassphrase : .derivation(.failure)
        }
    }

    private static func wrappingKey(
        _ passphrase: SecretBytes, _ cost: KeyDerivationCost, _ salt: Bytes16,
        of publicKey: UnsafeRawBufferPointer, for user: UInt32
    ) throws(Failure) -> SecretBytes {
        do throws(DerivationError) {
            let stretched = try cost.stretch(passphrase, salt: salt, for: user)
            return try Derivation.hkdf(input: stretched, salt: publicKey, info: info)
        } catch { throw .derivation(error) }
    }

    private static func fillHead(
        _ buffer: UnsafeMutableRawBufferPointer, _ publicKey: RecoveryPublicKey
    ) {
        buffer.copyBytes(from: magic)
        var span = buffer.mutableBytes
        span.store(version, at: 8)
        publicKey.write(to: &span, at: Offset.publicKey.lowerBound)
    }
}

extension RecoveryKeyFile.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAKey: "it is not a recovery key as mamctl recovery keygen makes one"
        case .newerVersion(let version):
            "it has format version \(version): install a newer mamd"
        case .damaged: "it was changed or damaged"
        case .passphraseRequired: "it needs its passphrase"
        case .passphraseNotUsed: "it has no passphrase, and one was given"
        case .wrongPassphrase: "the recovery key's passphrase is wrong"
        case .derivation(let error): "\(KeyringError.derivation(error))"
        }
    }
}
