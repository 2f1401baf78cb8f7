// The public half of an organisation's recovery key, as policies contain it.

internal import MAMModel

/// 32 bytes of X25519. As text: base64 of the 32 bytes and their CRC-32, so that a typing mistake
/// is detected.
package struct RecoveryPublicKey: Sendable, Hashable {
    package static let byteCount = 32
    /// Always ``byteCount`` bytes.
    package let bytes: [UInt8]

    package init(reading span: RawSpan, at offset: Int) {
        bytes = (offset..<offset + Self.byteCount).map {
            span.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
        }
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
        for (index, byte) in bytes.enumerated() { span.store(byte, at: offset + index) }
    }
}

extension RecoveryPublicKey: Comparable {
    package static func < (one: Self, other: Self) -> Bool { one.text < other.text }
}
