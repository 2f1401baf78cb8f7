// Encoding a header.

internal import MAMModel

extension FileHeader {
    /// Writes all fields except the key wrap (bytes 672 to 735, left unchanged) and the checksum.
    ///
    /// For a managed file, the caller then wraps the key over bytes 0 to 671 and calls
    /// ``finish(_:)``.
    package func encode(into bytes: inout MutableRawSpan) {
        for (offset, byte) in fileMagic.enumerated() {
            bytes.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
        for range in HeaderOffset.reserved { bytes.zero(range) }
        bytes.store(Self.version, at: HeaderOffset.version)
        fileID.bytes.write(to: &bytes, at: HeaderOffset.fileID)
        bytes.store(UInt16(owner.name.utf8.count), at: HeaderOffset.nameCount)
        bytes.store(UInt16(owner.objectID.utf8.count), at: HeaderOffset.objectIDCount)
        bytes.store(owner.name, paddedIn: HeaderOffset.name)
        bytes.store(owner.objectID, paddedIn: HeaderOffset.objectID)
        encodeSealing(into: &bytes)
    }

    private func encodeSealing(into bytes: inout MutableRawSpan) {
        guard let sealing else {
            bytes.store(UInt8(0), at: HeaderOffset.flags)
            bytes.store(UInt8(0), at: HeaderOffset.protectionClass)
            for range in HeaderOffset.managedOnly { bytes.zero(range) }
            return
        }
        let sparse = sealing.isSparse ? HeaderFlag.sparse : 0
        bytes.store(HeaderFlag.managed | sparse, at: HeaderOffset.flags)
        bytes.store(sealing.protectionClass.rawValue, at: HeaderOffset.protectionClass)
        bytes.store(sealing.askedClass?.rawValue ?? 0, at: HeaderOffset.askedClass)
        bytes.store(UInt8(sealing.isExposed ? 1 : 0), at: HeaderOffset.exposed)
        sealing.keyID.bytes.write(to: &bytes, at: HeaderOffset.keyID)
        sealing.ephemeralKey.write(to: &bytes, at: HeaderOffset.ephemeralKey)
    }

    /// Writes the checksum over everything before it.
    package static func finish(_ bytes: inout MutableRawSpan) {
        let sum = Checksum.crc32(bytes.bytes, count: HeaderOffset.checksum)
        bytes.store(sum, at: HeaderOffset.checksum)
    }
}
