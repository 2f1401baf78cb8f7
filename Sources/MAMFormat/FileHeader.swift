// The first 1024 bytes of a protected file.

package import MAMModel

/// A header's fields, as docs/FORMAT.md, section 1 lays them out.
package struct FileHeader: Sendable {
    @usableFromInline package static let version: UInt16 = 1
    package static let byteCount = Layout.headerByteCount
    /// The bytes that the key wrap authenticates: everything before its nonce.
    package static let associatedByteCount = 672
    /// Nonce 16 | wrapped key 32 | tag 16.
    package static let wrappedKeyRange = 672..<736

    package var fileID: FileID
    /// One reference, because every request passes a header along.
    var fields: HeaderFields

    package var owner: Identity {
        get { fields.owner }
        set { fields = HeaderFields(owner: newValue, sealing: sealing) }
    }

    /// Nil in an unmanaged file.
    package var sealing: Sealing? {
        get { fields.sealing }
        set { fields = HeaderFields(owner: owner, sealing: newValue) }
    }

    /// The fields that only a managed file has.
    package struct Sealing: Sendable {
        package var protectionClass: ProtectionClass
        /// The requested class; nil for a file that follows policy alone.
        package var askedClass: ProtectionClass?
        package var keyID: KeyID
        package var isSparse: Bool
        /// The file key was also wrapped for a weaker class or under a retired key, so an old copy
        /// of the header can open the file. The file has to be sealed under a new key.
        package var isExposed = false
        /// Class B's ephemeral X25519 public key, 32 bytes in file order; zero in other classes.
        package var ephemeralKey: EphemeralKey

        package init(
            protectionClass: ProtectionClass, askedClass: ProtectionClass? = nil, keyID: KeyID,
            isSparse: Bool, ephemeralKey: EphemeralKey
        ) {
            self.protectionClass = protectionClass
            self.askedClass = askedClass
            self.keyID = keyID
            self.isSparse = isSparse
            self.ephemeralKey = ephemeralKey
        }
    }

    package init(fileID: FileID, owner: Identity, sealing: Sealing?) {
        self.fileID = fileID
        fields = HeaderFields(owner: owner, sealing: sealing)
    }

    init(fileID: FileID, fields: HeaderFields) {
        self.fileID = fileID
        self.fields = fields
    }

    package var isManaged: Bool { fields.sealing != nil }
}

/// A 32-byte public key; a plain value, because it is no secret.
package struct EphemeralKey: Sendable, Equatable {
    package var first: Bytes16
    package var second: Bytes16
    package static let zero = EphemeralKey(first: .zero, second: .zero)

    package init(first: Bytes16, second: Bytes16) {
        self.first = first
        self.second = second
    }

    package init(reading bytes: RawSpan, at offset: Int) {
        first = Bytes16(reading: bytes, at: offset)
        second = Bytes16(reading: bytes, at: offset + 16)
    }

    package func write(to bytes: inout MutableRawSpan, at offset: Int) {
        first.write(to: &bytes, at: offset)
        second.write(to: &bytes, at: offset + 16)
    }
}

/// Field offsets of the header.
enum HeaderOffset {
    static let magic = 0
    static let version = 8
    static let flags = 10
    static let protectionClass = 11
    static let askedClass = 12
    static let exposed = 13
    static let fileID = 16
    static let keyID = 32
    static let nameCount = 48
    static let objectIDCount = 50
    static let name = 64..<576
    static let objectID = 576..<640
    static let ephemeralKey = 640
    static let checksum = 1020
    /// Ranges that must be zero in every header.
    static let reserved = [14..<16, 52..<64, 736..<1020]
    /// Ranges that must be zero in an unmanaged file's header.
    static let managedOnly = [12..<14, 32..<48, 640..<736]
}

enum HeaderFlag {
    static let managed: UInt8 = 1
    static let sparse: UInt8 = 2
}

/// `89 4D 41 4D 46 0D 0A 1A`: not text, and broken by any transfer that treats it as text.
package let fileMagic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x46, 0x0D, 0x0A, 0x1A]
