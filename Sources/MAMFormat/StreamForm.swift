// The compact form for buffers and pipes: a header without padding, followed by sealed chunks
// (docs/FORMAT.md, section 6).

internal import MAMModel

/// The layout of the stream form. Its header has the same fields as a file's, so ``FileHeader``
/// holds them.
package enum StreamForm {
    /// The plain bytes of a chunk; the last chunk has at least one and may have fewer.
    package static let chunkByteCount = 64 << 10
    package static let sealedChunkByteCount = chunkByteCount + BlockSeal.tagByteCount
    /// The bytes that determine the length of the header.
    package static let prefixByteCount = 32

    private static let keyIDByteCount = 16
    private static let ephemeralKeyByteCount = 32
    private static let wrapByteCount = 64
    private static let checksumByteCount = 4

    /// No header is shorter, a file's included.
    package static let minimumByteCount = prefixByteCount + checksumByteCount

    /// The range of the key wrap, after everything that it authenticates. Empty in an unmanaged
    /// stream.
    package static func wrappedKeyRange(of header: FileHeader) -> Range<Int> {
        let end = byteCount(of: header) - checksumByteCount
        return (header.isManaged ? end - wrapByteCount : end)..<end
    }

    package static func byteCount(of header: FileHeader) -> Int {
        byteCount(
            names: header.owner.name.utf8.count + header.owner.objectID.utf8.count,
            header.sealing?.protectionClass)
    }

    private static func byteCount(names: Int, _ protectionClass: ProtectionClass?) -> Int {
        let key =
            protectionClass.map {
                keyIDByteCount + wrapByteCount
                    + ($0 == .completeUnlessOpen ? ephemeralKeyByteCount : 0)
            } ?? 0
        return prefixByteCount + names + key + checksumByteCount
    }

    /// Chunk index 8 | 1 for the last chunk, else 0 | zero 7: unique because a stream's key seals
    /// each chunk once.
    package static func writeNonce(
        chunk: Int64, isLast: Bool, to bytes: inout MutableRawSpan
    ) {
        bytes.store(UInt64(chunk), at: 0)
        bytes.store(UInt64(isLast ? 1 : 0), at: 8)
    }
}

/// `89 4D 41 4D 53 0D 0A 1A`.
package let streamMagic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x53, 0x0D, 0x0A, 0x1A]

/// Offsets of the fields before the names.
private enum StreamOffset {
    static let version = 8
    static let flags = 10
    static let protectionClass = 11
    static let nameCount = 12
    static let objectIDCount = 14
    static let streamID = 16
    static let name = 32
}

extension StreamForm {
    /// The length of the header that begins with these bytes, whose magic is intact.
    package static func byteCount(ofPrefix bytes: RawSpan) throws(HeaderError) -> Int {
        if let version = bytes.version(above: FileHeader.version, magic: streamMagic) {
            throw .newerVersion(version)
        }
        guard bytes.byteCount >= prefixByteCount else {
            throw .truncated(byteCount: bytes.byteCount)
        }
        let nameCount = Int(bytes.integer(UInt16.self, at: StreamOffset.nameCount))
        let objectIDCount = Int(bytes.integer(UInt16.self, at: StreamOffset.objectIDCount))
        guard nameCount <= Identity.maximumNameByteCount else {
            throw .field(offset: StreamOffset.nameCount)
        }
        guard objectIDCount <= Identity.maximumObjectIDByteCount else {
            throw .field(offset: StreamOffset.objectIDCount)
        }
        return byteCount(names: nameCount + objectIDCount, try protectionClass(in: bytes))
    }

    /// Decodes the header at the start of these bytes, whose magic is intact.
    package static func header(in bytes: RawSpan) throws(HeaderError) -> FileHeader {
        let count = try byteCount(ofPrefix: bytes)
        guard bytes.byteCount >= count else { throw .truncated(byteCount: bytes.byteCount) }
        return try decode(bytes.extracting(..<count))
    }

    /// Nil in an unmanaged stream.
    private static func protectionClass(
        in bytes: RawSpan
    ) throws(HeaderError) -> ProtectionClass? {
        let flags = bytes.integer(UInt8.self, at: StreamOffset.flags)
        guard flags & ~HeaderFlag.managed == 0 else { throw .field(offset: StreamOffset.flags) }
        let raw = bytes.integer(UInt8.self, at: StreamOffset.protectionClass)
        let found = ProtectionClass(rawValue: raw)
        let isRight = flags == 0 ? raw == 0 : found != nil
        guard isRight else { throw .field(offset: StreamOffset.protectionClass) }
        return found
    }

    /// Decodes a whole header of the length that ``byteCount(ofPrefix:)`` returned. Does not unwrap
    /// the key.
    package static func decode(_ bytes: RawSpan) throws(HeaderError) -> FileHeader {
        let end = bytes.byteCount - checksumByteCount
        guard bytes.integer(UInt32.self, at: end) == Checksum.crc32(bytes, count: end) else {
            throw .checksum
        }
        guard bytes.integer(UInt16.self, at: StreamOffset.version) == FileHeader.version else {
            throw .field(offset: StreamOffset.version)
        }
        let nameCount = Int(bytes.integer(UInt16.self, at: StreamOffset.nameCount))
        let objectIDCount = Int(bytes.integer(UInt16.self, at: StreamOffset.objectIDCount))
        let nameEnd = StreamOffset.name + nameCount
        let keyStart = nameEnd + objectIDCount
        guard
            let name = bytes.paddedText(in: StreamOffset.name..<nameEnd, count: nameCount),
            let objectID = bytes.paddedText(in: nameEnd..<keyStart, count: objectIDCount),
            let owner = try? Identity(name: name, objectID: objectID)
        else { throw .field(offset: StreamOffset.name) }
        let sealing = try protectionClass(in: bytes).map { protectionClass in
            FileHeader.Sealing(
                protectionClass: protectionClass,
                keyID: KeyID(Bytes16(reading: bytes, at: keyStart)), isSparse: false,
                ephemeralKey: protectionClass == .completeUnlessOpen
                    ? EphemeralKey(reading: bytes, at: keyStart + keyIDByteCount) : .zero)
        }
        return FileHeader(
            fileID: FileID(Bytes16(reading: bytes, at: StreamOffset.streamID)), owner: owner,
            sealing: sealing)
    }

    /// Writes all fields except the key wrap; ``byteCount(of:)`` gives the length.
    ///
    /// For a managed stream, the caller then wraps the key over everything before the wrap, and
    /// calls ``finish(_:)``.
    package static func encode(_ header: FileHeader, into bytes: inout MutableRawSpan) {
        bytes.store(streamMagic, at: 0)
        let (name, objectID) = (header.owner.name, header.owner.objectID)
        let nameEnd = StreamOffset.name + name.utf8.count
        let keyStart = nameEnd + objectID.utf8.count
        bytes.store(FileHeader.version, at: StreamOffset.version)
        bytes.store(header.isManaged ? HeaderFlag.managed : 0, at: StreamOffset.flags)
        bytes.store(
            header.sealing?.protectionClass.rawValue ?? 0, at: StreamOffset.protectionClass)
        bytes.store(UInt16(name.utf8.count), at: StreamOffset.nameCount)
        bytes.store(UInt16(objectID.utf8.count), at: StreamOffset.objectIDCount)
        header.fileID.bytes.write(to: &bytes, at: StreamOffset.streamID)
        bytes.store(name, paddedIn: StreamOffset.name..<nameEnd)
        bytes.store(objectID, paddedIn: nameEnd..<keyStart)
        guard let sealing = header.sealing else { return }
        sealing.keyID.bytes.write(to: &bytes, at: keyStart)
        guard sealing.protectionClass == .completeUnlessOpen else { return }
        sealing.ephemeralKey.write(to: &bytes, at: keyStart + keyIDByteCount)
    }

    /// Writes the checksum over everything before it.
    package static func finish(_ bytes: inout MutableRawSpan) {
        let end = bytes.byteCount - checksumByteCount
        bytes.store(Checksum.crc32(bytes.bytes, count: end), at: end)
    }
}
