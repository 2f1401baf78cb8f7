// Where a managed file's header gets its wrapped key from.

package import MAMCrypto
package import MAMFormat

/// Wraps file keys into headers. The vault implements it over the keyring; the store only knows
/// when.
package protocol HeaderSealer: Sendable {
    /// Writes a whole header of 1024 bytes for `header`, its key id, ephemeral key and key wrap
    /// included, and returns it as written.
    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader
}

extension FileHeader {
    /// Writes a managed file's whole header. `wrap` is lent what its tag covers, and fills the 64
    /// bytes after.
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
