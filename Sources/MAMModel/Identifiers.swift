// Random 128-bit IDs. Separate types keep a key's ID from being used as a file's.

internal import Synchronization

/// A 16-byte ID, in file order.
package struct Bytes16: Sendable, Hashable {
    package var high: UInt64
    package var low: UInt64

    package static let byteCount = 16
    package static let zero = Bytes16(high: 0, low: 0)

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads big-endian, so that the hexadecimal form shows the bytes in file order.
    package init(reading bytes: RawSpan, at offset: Int) {
        high = UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        low = UInt64(
            bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    }

    package func write(to bytes: inout MutableRawSpan, at offset: Int) {
        bytes.storeBytes(of: high.bigEndian, toByteOffset: offset, as: UInt64.self)
        bytes.storeBytes(of: low.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
    }
}

extension Bytes16: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    package var description: String { Self.hex(high) + Self.hex(low) }

    private static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The inverse of ``description``; nil for anything but 32 hexadecimal digits.
    package init?(hex: String) {
        guard hex.utf8.count == 32, let high = UInt64(hex.prefix(16), radix: 16),
            let low = UInt64(hex.suffix(16), radix: 16), hex.utf8.allSatisfy({ $0 != 0x2B })
        else { return nil }
        self.init(high: high, low: low)
    }
}

/// Identifies one file's content; every block's tag covers it.
package struct FileID: Sendable, Hashable {
    package let bytes: Bytes16
    package init(_ bytes: Bytes16) { self.bytes = bytes }
}

/// Identifies one class key of one account, so that a header says which key opens the file.
package struct KeyID: Sendable, Hashable {
    package let bytes: Bytes16
    package init(_ bytes: Bytes16) { self.bytes = bytes }
    package static let none = KeyID(.zero)
}

/// Identifies one account's keybag.
package struct AccountID: Sendable, Hashable {
    package let bytes: Bytes16
    package init(_ bytes: Bytes16) { self.bytes = bytes }
}

/// One connection to the daemon's socket. IDs are never reused.
package struct ConnectionID: Sendable, Hashable {
    private let number: UInt64

    private static let last = Atomic<UInt64>(0)

    /// A new ID.
    package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
