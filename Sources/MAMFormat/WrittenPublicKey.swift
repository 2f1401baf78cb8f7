// The public half of an organisation's key, as people and policies write it.

internal import MAMModel

/// 32 bytes. As text: base64 of the 32 bytes and their CRC-32, so that a typing mistake is
/// detected. `Use` keeps one kind of key from being used as another.
package struct WrittenPublicKey<Use>: Sendable, Hashable {
    package static var byteCount: Int { 32 }
    /// Always ``byteCount`` bytes.
    package let bytes: [UInt8]

    package init(reading span: RawSpan, at offset: Int) {
        bytes = span.array(offset..<offset + Self.byteCount)
    }

    /// Nil for anything that ``text`` would not return.
    package init?(text: String) {
        guard let found = MAMModel.bytes(base64: text), found.count == Self.byteCount + 4 else {
            return nil
        }
        bytes = Array(found.prefix(Self.byteCount))
        guard self.text == text else { return nil }
    }

    package var text: String {
        let sum = Checksum.crc32(bytes.span.bytes, count: Self.byteCount)
        return base64(bytes + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
    }

    /// 16 hexadecimal digits that identify the key in file names and messages.
    package var shortName: String {
        String("\(Bytes16(reading: bytes.span.bytes, at: 0))".prefix(16))
    }

    package func write(to span: inout MutableRawSpan, at offset: Int) {
        span.store(bytes, at: offset)
    }
}

extension WrittenPublicKey: Comparable {
    package static func < (one: Self, other: Self) -> Bool { one.text < other.text }
}

/// X25519: policies contain it, and accounts' keys are sealed to it.
package typealias RecoveryPublicKey = WrittenPublicKey<RecoveryKeyUse>
package enum RecoveryKeyUse {}

/// Ed25519: an organisation's documents are signed with its other half.
package typealias SigningPublicKey = WrittenPublicKey<SigningKeyUse>
package enum SigningKeyUse {}
