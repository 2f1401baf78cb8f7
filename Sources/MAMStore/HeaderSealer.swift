// The source of the wrapped key in a managed file's header.

package import MAMCrypto
package import MAMFormat

/// Wraps file keys into headers. The vault implements it with the keyring; the store decides when.
package protocol HeaderSealer: Sendable {
    /// Encodes `header` as 1024 bytes, including key id, ephemeral key and key wrap, and returns it
    /// as written.
    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader
}

extension FileHeader {
    /// Encodes a managed file's whole header. `wrap` gets the bytes that its tag covers, and fills
    /// the 64 bytes after them.
    package func encode(
        into bytes: UnsafeMutableRawBufferPointer,
        wrap: (
            _ associatedData: UnsafeRawBufferPointer, _ wrapped: UnsafeMutableRawBufferPointer
        ) throws(SealError) -> Void
    ) throws(StoreError) {
        var raw = bytes.mutableBytes
        encode(into: &raw)
        do throws(SealError) {
            try wrap(
                .init(rebasing: bytes[..<Self.associatedByteCount]),
                .init(rebasing: bytes[Self.wrappedKeyRange]))
        } catch { throw .cipherFailure }
        Self.finish(&raw)
    }
}
