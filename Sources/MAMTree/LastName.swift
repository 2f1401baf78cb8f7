// A file name inside an inode: most need no allocation.

internal import Glibc

/// The bytes of a file name: up to 15 inline, longer ones in an array.
package enum LastName {
    case short(Short)
    case long([UInt8])

    /// 15 bytes, zero-padded. The sixteenth distinguishes the cases.
    package struct Short {
        package var first: UInt64 = 0
        package var second: UInt32 = 0
        package var third: UInt16 = 0
        package var fourth: UInt8 = 0

        package static let byteCount = 15
    }

    package static let none = LastName.short(Short())

    package init(_ name: Name) {
        let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
        guard bytes.count <= Short.byteCount else {
            self = .long(Array(bytes))
            return
        }
        var short = Short()
        withUnsafeMutableBytes(of: &short) { $0.copyMemory(from: bytes) }
        self = .short(short)
    }

    /// The zero-terminated bytes for the kernel; nil for no name.
    package var terminated: [CChar]? {
        let bytes: [UInt8]
        switch self {
        case .short(let short):
            bytes = withUnsafeBytes(of: short) { Array($0.prefix(Short.byteCount)) }
                .prefix { $0 != 0 }.map { $0 }
        case .long(let long): bytes = long
        }
        return bytes.isEmpty ? nil : bytes.map { CChar(bitPattern: $0) } + [0]
    }
}
