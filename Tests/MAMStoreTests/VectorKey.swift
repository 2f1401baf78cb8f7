// A class key as a vector gives it.

import MAMCrypto
import MAMFormat
import MAMStore

/// What wraps the file keys of one class of one account.
enum VectorKey {
    /// Classes A, C and D.
    case secret(SecretBytes)
    /// Class B.
    case pair(privateKey: SecretBytes, publicKey: Curve25519.PublicKey)

    init(_ vector: VectorFile) throws {
        if vector.fields["class-key"] != nil {
            self = .secret(SecretBytes(copying: try vector.bytes("class-key")))
        } else {
            let publicKey = try vector.bytes("class-public")
            self = .pair(
                privateKey: SecretBytes(copying: try vector.bytes("class-private")),
                publicKey: .init(reading: publicKey.span.bytes, at: 0))
        }
    }

    /// The key that opens a header's key wrap: docs/FORMAT.md, section 1.3.
    func wrappingKey(ephemeral: EphemeralKey) throws(StoreError) -> SecretBytes {
        switch self {
        case .secret(let key): return key
        case .pair(let privateKey, let publicKey):
            var salt = [UInt8](repeating: 0, count: 64)
            ephemeral.write(to: &salt, at: 0)
            let point = Curve25519.PublicKey(reading: salt.span.bytes, at: 0)
            publicKey.write(to: &salt, at: 32)
            do {
                return try derive(
                    Curve25519.sharedSecret(privateKey: privateKey, publicKey: point), salt)
            } catch { throw .damaged(block: 0) }
        }
    }

    private func derive(_ shared: SecretBytes, _ salt: [UInt8]) throws -> SecretBytes {
        try salt.withUnsafeBytes {
            try Derivation.hkdf(input: shared, salt: $0, info: "mamd file key B v1")
        }
    }

    func unwrap(
        _ header: FileHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(StoreError) -> SecretBytes {
        let key = try wrappingKey(ephemeral: header.sealing?.ephemeralKey ?? .zero)
        return try TestSealer(kek: key).unwrap(header, bytes)
    }
}

extension VectorKey: HeaderSealer {
    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader {
        let (header, wrapping) = try sealingKey(for: header)
        return try TestSealer(kek: wrapping).seal(header, key: key, into: bytes)
    }

    /// What wraps a new file's key, and the header with what belongs to it.
    func sealingKey(for header: FileHeader) throws(StoreError) -> (FileHeader, SecretBytes) {
        guard case .pair(_, let publicKey) = self else {
            return (header, try wrappingKey(ephemeral: .zero))
        }
        var header = header
        do {
            let pair = try Curve25519.KeyPair.random()
            let ephemeral = pair.publicKey.withBytes { EphemeralKey(reading: $0.bytes, at: 0) }
            var salt = [UInt8](repeating: 0, count: 64)
            pair.publicKey.write(to: &salt, at: 0)
            publicKey.write(to: &salt, at: 32)
            let shared = try Curve25519.sharedSecret(
                privateKey: pair.privateKey, publicKey: publicKey)
            header.sealing?.ephemeralKey = ephemeral
            return (header, try derive(shared, salt))
        } catch { throw .cipherFailure }
    }
}

extension EphemeralKey {
    func write(to bytes: inout [UInt8], at offset: Int) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        write(to: &raw, at: offset)
    }
}

extension Curve25519.PublicKey {
    func write(to bytes: inout [UInt8], at offset: Int) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        write(to: &raw, at: offset)
    }
}

extension SecretBytes {
    /// Test keys are no secrets; a real key is never in an array.
    convenience init(copying bytes: [UInt8]) {
        self.init(count: bytes.count)
        withMutableBytes { $0.copyBytes(from: bytes) }
    }
}
