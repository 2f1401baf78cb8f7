// The names that a NATS server knows keys by: Ed25519 keys with a letter for what they are for.

package import MAMCrypto
internal import MAMModel

/// A public key as NATS writes it: base32 of a prefix, the key, and a CRC-16.
package struct NKey: Sendable, Hashable, CustomStringConvertible {
    package let role: Role
    package let publicKey: [UInt8]

    /// The prefix byte, whose first five bits are the letter in front.
    package enum Role: UInt8, Sendable, CaseIterable {
        case account = 0x00
        case server = 0x68
        case `operator` = 0x70
        case user = 0xA0
    }

    package static let textByteCount = 56

    package init(_ role: Role, _ publicKey: [UInt8]) {
        precondition(publicKey.count == Ed25519.publicKeyByteCount)
        (self.role, self.publicKey) = (role, publicKey)
    }

    /// Nil for anything that ``description`` would not write, a wrong checksum too.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == Self.textByteCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 + Ed25519.publicKeyByteCount + 2)
        let isRight = bytes.withUnsafeMutableBytes { out in
            digits.withUnsafeBytes { Base32.decode($0, into: out) } && isSummed(.init(out))
        }
        guard isRight, let role = Role(rawValue: bytes[0]) else { return nil }
        self.init(role, Array(bytes.dropFirst().dropLast(2)))
    }

    package var description: String {
        var bytes = [role.rawValue] + publicKey + [0, 0]
        bytes.withUnsafeMutableBytes { putSum($0) }
        return Base32.text(bytes)
    }

    package func hasSigned(_ message: [UInt8], _ signature: [UInt8]) -> Bool {
        Ed25519.isSigned(message, with: signature, by: publicKey)
    }
}

/// The private half: a seed of 32 bytes.
package struct NKeySeed: Sendable {
    /// Its public half.
    package let key: NKey
    private let seed: SecretBytes

    package enum Malformed: Error, Sendable, Equatable {
        case notASeed
        case wrongChecksum
        case otherRole(NKey.Role)
    }

    package static let textByteCount = 58

    package init(random role: NKey.Role) {
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        guard let publicKey = Ed25519.publicKey(ofSeed: seed) else {
            preconditionFailure("nobody has erased it")
        }
        (key, self.seed) = (NKey(role, publicKey), seed)
    }

    /// Parses the text, without a line feed.
    package init(parsing text: SecretBytes, _ role: NKey.Role) throws(Malformed) {
        let bytes = SecretBytes(count: Self.textByteCount * 5 / 8)
        let isBase32 = bytes.withMutableBytes { out in
            text.withBytes { Base32.decode($0, into: out) }
        }
        guard isBase32 else { throw .notASeed }
        let prefix = bytes.withBytes { ($0[0], $0[1]) }
        guard prefix.0 & 0xF8 == seedPrefix, prefix.1 & 0x07 == 0,
            let found = NKey.Role(rawValue: prefix.0 << 5 | prefix.1 >> 3)
        else { throw .notASeed }
        guard bytes.withBytes({ isSummed($0) }) else { throw .wrongChecksum }
        guard found == role else { throw .otherRole(found) }
        let seed = bytes.withBytes { bytes in
            SecretBytes(copying: .init(rebasing: bytes[2..<2 + Ed25519.seedByteCount]))
        }
        guard let publicKey = Ed25519.publicKey(ofSeed: seed) else { throw .notASeed }
        (key, self.seed) = (NKey(role, publicKey), seed)
    }

    /// As NATS writes it; without a line feed.
    package var text: SecretBytes {
        let bytes = SecretBytes(count: Self.textByteCount * 5 / 8) { room in
            room[0] = seedPrefix | key.role.rawValue >> 5
            room[1] = (key.role.rawValue & 0x1F) << 3
            seed.withBytes {
                UnsafeMutableRawBufferPointer(rebasing: room[2...]).copyMemory(from: $0)
            }
            putSum(room)
        }
        return SecretBytes(count: Self.textByteCount) { room in
            bytes.withBytes { Base32.encode($0, into: room) }
        }
    }

    /// Nil if the seed is erased.
    package func sign(_ message: [UInt8]) -> [UInt8]? { Ed25519.sign(message, seed: seed) }
}

extension NKeySeed.Malformed: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notASeed: "it is no NATS seed"
        case .wrongChecksum: "its checksum is wrong: it was not copied exactly"
        case .otherRole(let role): "it is the seed of a key of another kind: \(role)"
        }
    }
}

private let seedPrefix: UInt8 = 18 << 3

/// The last two bytes become the CRC-16 of those before, low byte first.
private func putSum(_ bytes: UnsafeMutableRawBufferPointer) {
    let sum = crc16(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 2)]))
    bytes[bytes.count - 2] = UInt8(sum & 0xFF)
    bytes[bytes.count - 1] = UInt8(sum >> 8)
}

private func isSummed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sum = crc16(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 2)]))
    return bytes[bytes.count - 2] == UInt8(sum & 0xFF)
        && bytes[bytes.count - 1] == UInt8(sum >> 8)
}

/// CRC-16/XMODEM: polynomial 0x1021, from zero.
func crc16(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    bytes.reduce(0) { sum, byte in
        (0..<8).reduce(sum ^ UInt16(byte) << 8) { sum, _ in
            sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1
        }
    }
}
