// Content of new files.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension SealedContent {
    /// For an empty file with this header; writes nothing yet.
    static func prepared(
        _ descriptor: Descriptor, _ header: FileHeader, _ key: SecretBytes,
        _ sealer: any HeaderSealer
    ) throws(StoreError) -> SealedContent {
        var bytes = HeaderBytes(repeating: 0)
        var span = bytes.mutableSpan
        var written = try span.withUnsafeMutableBytes { buffer throws(StoreError) in
            try sealer.seal(header, key: key, into: buffer)
        }
        written.shareFields(bytes.span.bytes)
        return SealedContent(
            descriptor: descriptor, header: written, headerBytes: bytes,
            extent: Extent(plainSize: 0), cipher: BlockCipher(key: key), endMarkRule: .accept)
    }
}

extension PlainContent {
    /// Writes the header.
    static func begun(
        _ descriptor: Descriptor, _ header: FileHeader
    ) throws(StoreError) -> PlainContent {
        var bytes = HeaderBytes(repeating: 0)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        header.encode(into: &raw)
        FileHeader.finish(&raw)
        try bytes.span.withUnsafeBytes { buffer throws(StoreError) in
            try system { () throws(Errno) in try writeFully(descriptor.raw, from: buffer, at: 0) }
        }
        var header = header
        header.shareFields(bytes.span.bytes)
        return PlainContent(descriptor: descriptor, header: header)
    }
}
