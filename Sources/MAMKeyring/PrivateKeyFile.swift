// The private half of one of an organisation's keys, in a file that the administrator keeps:
// docs/FORMAT.md, section 8.

package import MAMCrypto
package import MAMFormat
package import MAMModel

/// What the two kinds of key files differ in.
package protocol KeyFileKind {
    associatedtype Pair
    associatedtype Use
    static var magic: [UInt8] { get }
    /// Of HKDF, for the key that seals it.
    static var info: String { get }
    static var name: String { get }
    /// The verb that makes one.
    static var verb: String { get }

    /// Nil if the private key is erased.
    static func pair(of privateKey: SecretBytes) -> Pair?
    static func publicKey(of pair: Pair) -> WrittenPublicKey<Use>?
}

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

/// Its 160 bytes are secret, unless sealed under a passphrase.
package enum PrivateKeyFile<Kind: KeyFileKind> {
    package typealias PublicKey = WrittenPublicKey<Kind.Use>

    package static var byteCount: Int { 160 }
    private static var version: UInt16 { 1 }
    private static var privateKeyByteCount: Int { 32 }

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
    ) throws(Failure) -> (publicKey: PublicKey, file: SecretBytes) {
        try file(of: .random(count: privateKeyByteCount), passphrase: passphrase, cost: cost)
    }

    /// A file of a key that there is.
    package static func file(
        of privateKey: SecretBytes, passphrase: SecretBytes?, cost: KeyDerivationCost = .standard
    ) throws(Failure) -> (publicKey: PublicKey, file: SecretBytes) {
        guard let publicKey = Kind.pair(of: privateKey).flatMap(Kind.publicKey) else {
            throw .derivation(.failure)
        }
        let file = SecretBytes(count: byteCount)
        try file.withMutableBytes { buffer throws(Failure) in
            fillHead(buffer, publicKey)
            if let passphrase {
                try seal(privateKey, in: buffer, passphrase, cost)
            } else {
                privateKey.withBytes {
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
        head.count > Offset.flags && head.starts(with: Kind.magic) && head[Offset.flags] & 1 == 1
    }

    /// `user`: the caller's, for the fair lock.
    package static func open(
        _ file: SecretBytes, passphrase: SecretBytes?, for user: UInt32 = 0
    ) throws(Failure) -> Kind.Pair {
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
            PublicKey(reading: $0.bytes, at: Offset.publicKey.lowerBound)
        }
        guard Kind.publicKey(of: pair) == publicKey else { throw .damaged }
        return pair
    }

    /// What the file says its public half is; only ``open(_:passphrase:for:)`` proves it.
    package static func publicKey(of file: SecretBytes) throws(Failure) -> PublicKey {
        try file.withBytes { buffer throws(Failure) in
            _ = try check(buffer.bytes)
            return PublicKey(reading: buffer.bytes, at: Offset.publicKey.lowerBound)
        }
    }

    private static func pair(_ key: SecretBytes) throws(Failure) -> Kind.Pair {
        guard let pair = Kind.pair(of: key) else { throw .damaged }
        return pair
    }

    /// Whether it is sealed; rejects everything that ``make(passphrase:cost:)`` would not write.
    private static func check(_ bytes: RawSpan) throws(Failure) -> Bool {
        guard bytes.byteCount >= Offset.flags, bytes.begins(with: Kind.magic) else {
            throw .notAKey
        }
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

    private static func seal(
        _ privateKey: SecretBytes, in buffer: UnsafeMutableRawBufferPointer,
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
                privateKey, under: key,
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
            return try Derivation.hkdf(input: stretched, salt: publicKey, info: Kind.info)
        } catch { throw .derivation(error) }
    }

    private static func fillHead(
        _ buffer: UnsafeMutableRawBufferPointer, _ publicKey: PublicKey
    ) {
        buffer.copyBytes(from: Kind.magic)
        var span = buffer.mutableBytes
        span.store(version, at: 8)
        publicKey.write(to: &span, at: Offset.publicKey.lowerBound)
    }
}

extension PrivateKeyFile.Failure: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .notAKey: "it is not a \(Message(known: Kind.name)) as mamctl \(Kind.verb) makes one"
        case .newerVersion(let version):
            "it has format version \(version): install a newer mamd"
        case .damaged: "it was changed or damaged"
        case .passphraseRequired: "it needs its passphrase"
        case .passphraseNotUsed: "it has no passphrase, and one was given"
        case .wrongPassphrase: "the \(Message(known: Kind.name))'s passphrase is wrong"
        case .derivation(let error): "\(KeyringError.derivation(error))"
        }
    }
}
