// Distinguishes what this daemon wrote into the backing directory from what others put there.
// docs/FORMAT.md, section 9, has the layout.

internal import Glibc
internal import MAMCrypto
internal import MAMKeyring
package import MAMModel
package import MAMSystem

/// The subject of a mark. The mark authenticates the number.
package enum MarkKind: UInt8, Sendable {
    /// A directory's class for new children.
    case childClass = 1
    /// A directory's owner for new children.
    case childOwner = 2
}

/// The file or directory that carries a mark: it may be moved, but the mark does not hold for a
/// copy, nor for a later file with the same inode number.
package struct MarkedInode: Sendable {
    package let inode: UInt64
    package let birth: Int64

    package init(inode: UInt64, birth: Int64) {
        self.inode = inode
        self.birth = birth
    }

    package init(_ descriptor: Descriptor) throws(Errno) {
        inode = UInt64(try status(at: descriptor.raw, "").st_ino)
        birth = try birthTime(of: descriptor.raw)
    }
}

/// The key of one workspace's marks.
package struct Marks: Sendable {
    private let key: SecretBytes?

    init(of workspace: Bytes16, by keyring: Keyring) { key = keyring.markingKey(of: workspace) }

    package static let byteCount = KeyedTag.byteCount

    /// Nil without a key: values written then are not proved.
    package func mark(
        _ kind: MarkKind, of value: [UInt8], at place: MarkedInode
    ) -> [UInt8]? {
        guard let key else { return nil }
        return KeyedTag.make(of: Self.bytes(kind, value, place), key: key)
    }

    package func isRight(
        _ mark: some Collection<UInt8>, _ kind: MarkKind, of value: [UInt8], at place: MarkedInode
    ) -> Bool {
        guard let key else { return false }
        return KeyedTag.isRight(mark, of: Self.bytes(kind, value, place), key: key)
    }

    /// All fields except the last have a fixed length, so the encoding is unambiguous.
    private static func bytes(
        _ kind: MarkKind, _ value: [UInt8], _ place: MarkedInode
    ) -> [UInt8] {
        var bytes = [kind.rawValue] + [UInt8](repeating: 0, count: 7)
        for number in [place.inode, UInt64(bitPattern: place.birth)] {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes + value
    }
}
