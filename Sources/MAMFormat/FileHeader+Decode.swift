// Decoding: rejects everything that `encode` would not write.

internal import MAMModel

/// Why bytes are not a valid header.
package enum HeaderError: Error, Equatable, Sendable {
    /// Fewer than 1024 bytes.
    case truncated(byteCount: Int)
    /// There is no magic.
    case notProtected
    /// Written by a newer version of mamd.
    case newerVersion(Int)
    /// The CRC-32 differs: the bytes were corrupted.
    case checksum
    /// The file was sealed, but its header is gone.
    case gone
    /// The field at this offset has a value that no version writes.
    case field(offset: Int)
}

extension HeaderError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let count):
            "the header is cut off after \(counted(count, "byte"))"
        case .notProtected: "it does not begin with a protection header"
        case .newerVersion(let version):
            "it has format version \(version), but this program supports up to"
                + " \(FileHeader.version):"
                + " install a newer mamd"
        case .gone:
            "its header is gone: it was sealed but no longer begins with one; restore the"
                + " sealed file, or, if its plain content is there on purpose, remove the note"
                + " from the backing file: setfattr -x user.mam.sealed FILE"
        case .checksum: "the header's checksum is wrong: the file was changed or damaged"
        case .field(let offset): "the header has an invalid value at offset \(offset)"
        }
    }
}

extension FileHeader {
    /// Decodes the first 1024 bytes of a file. Does not unwrap the key.
    ///
    /// `known`: fields that the header shares if it has the same.
    package static func decode(
        _ bytes: RawSpan, known: KnownFields = KnownFields()
    ) throws(HeaderError) -> FileHeader {
        guard bytes.begins(with: fileMagic, count: min(bytes.byteCount, fileMagic.count)),
            bytes.byteCount >= fileMagic.count
        else { throw .notProtected }
        // Checked before length and checksum, which a newer version may define differently.
        if let newer = bytes.version(above: version, magic: fileMagic) {
            throw .newerVersion(newer)
        }
        guard bytes.byteCount >= byteCount else { throw .truncated(byteCount: bytes.byteCount) }
        let sum = bytes.integer(UInt32.self, at: HeaderOffset.checksum)
        guard sum == Checksum.crc32(bytes, count: HeaderOffset.checksum) else { throw .checksum }
        guard bytes.integer(UInt16.self, at: HeaderOffset.version) == version else {
            throw .field(offset: HeaderOffset.version)
        }
        for range in HeaderOffset.reserved where !bytes.isZero(range) {
            throw .field(offset: range.lowerBound)
        }
        return FileHeader(
            fileID: FileID(Bytes16(reading: bytes, at: HeaderOffset.fileID)),
            fields: try decodeFields(bytes, known))
    }

    private static func decodeFields(
        _ bytes: RawSpan, _ known: KnownFields
    ) throws(HeaderError) -> HeaderFields {
        if let fields = known.fields(in: bytes),
            fields.sealing != nil || bytes.isZero(FileHeader.wrappedKeyRange)
        {
            return fields
        }
        return HeaderFields(owner: try decodeOwner(bytes), sealing: try decodeSealing(bytes))
    }

    /// True when the checksum is right if the magic is assumed intact: such a file must not be
    /// treated as foreign and shown as it is.
    static func lacksOnlyMagic(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= byteCount else { return false }
        let sum = bytes.integer(UInt32.self, at: HeaderOffset.checksum)
        return sum == Checksum.crc32(bytes, count: HeaderOffset.checksum, startingWith: fileMagic)
    }

    /// What is wrong with the first bytes of a file that ``FileKind/classify(prefix:fileSize:)``
    /// calls damaged.
    package static func damage(of bytes: RawSpan) -> HeaderError {
        if let newer = bytes.version(above: version, magic: fileMagic) {
            return .newerVersion(newer)
        }
        return bytes.byteCount < byteCount
            ? .truncated(byteCount: bytes.byteCount) : .field(offset: HeaderOffset.magic)
    }

    private static func decodeOwner(_ bytes: RawSpan) throws(HeaderError) -> Identity {
        let nameCount = Int(bytes.integer(UInt16.self, at: HeaderOffset.nameCount))
        let objectIDCount = Int(bytes.integer(UInt16.self, at: HeaderOffset.objectIDCount))
        guard let name = bytes.paddedText(in: HeaderOffset.name, count: nameCount) else {
            throw .field(offset: HeaderOffset.name.lowerBound)
        }
        guard let objectID = bytes.paddedText(in: HeaderOffset.objectID, count: objectIDCount)
        else { throw .field(offset: HeaderOffset.objectID.lowerBound) }
        do throws(Identity.Invalid) {
            return try Identity(name: name, objectID: objectID)
        } catch { throw .field(offset: HeaderOffset.name.lowerBound) }
    }

    private static func decodeSealing(_ bytes: RawSpan) throws(HeaderError) -> Sealing? {
        let flags = bytes.integer(UInt8.self, at: HeaderOffset.flags)
        let rawClass = bytes.integer(UInt8.self, at: HeaderOffset.protectionClass)
        guard flags & ~(HeaderFlag.managed | HeaderFlag.sparse) == 0 else {
            throw .field(offset: HeaderOffset.flags)
        }
        guard flags & HeaderFlag.managed != 0 else {
            guard flags == 0 else { throw .field(offset: HeaderOffset.flags) }
            guard rawClass == 0 else { throw .field(offset: HeaderOffset.protectionClass) }
            for range in HeaderOffset.managedOnly where !bytes.isZero(range) {
                throw .field(offset: range.lowerBound)
            }
            return nil
        }
        guard let protectionClass = ProtectionClass(rawValue: rawClass) else {
            throw .field(offset: HeaderOffset.protectionClass)
        }
        let rawAsked = bytes.integer(UInt8.self, at: HeaderOffset.askedClass)
        let askedClass = ProtectionClass(rawValue: rawAsked)
        guard rawAsked == 0 || askedClass != nil else {
            throw .field(offset: HeaderOffset.askedClass)
        }
        let exposed = bytes.integer(UInt8.self, at: HeaderOffset.exposed)
        guard exposed <= 1 else { throw .field(offset: HeaderOffset.exposed) }
        let ephemeralKey = EphemeralKey(reading: bytes, at: HeaderOffset.ephemeralKey)
        guard protectionClass == .completeUnlessOpen || ephemeralKey == .zero else {
            throw .field(offset: HeaderOffset.ephemeralKey)
        }
        var sealing = Sealing(
            protectionClass: protectionClass, askedClass: askedClass,
            keyID: KeyID(Bytes16(reading: bytes, at: HeaderOffset.keyID)),
            isSparse: flags & HeaderFlag.sparse != 0, ephemeralKey: ephemeralKey)
        sealing.isExposed = exposed == 1
        return sealing
    }
}
