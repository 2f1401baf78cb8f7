// Where a managed file's header gets its wrapped key from.

package import MAMCrypto
package import MAMFormat

/// Wraps file keys into headers. The vault implements it over the keyring; the store only knows when.
package protocol HeaderSealer: Sendable {
    /// Writes a whole header of 1024 bytes for `header`, its key id, ephemeral key and key wrap included, and
    /// returns it as written.
    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader
}
