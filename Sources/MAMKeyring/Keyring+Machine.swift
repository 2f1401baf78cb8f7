// The machine's own key, which its organisation knows it by.

package import MAMCrypto
package import MAMModel

extension Keyring {
    /// The seed of an Ed25519 key, another one for each organisation. It comes from the device
    /// secret, and so is bound to the TPM where that is: docs/FORMAT.md, section 2.
    package func machineSeed(for organization: Bytes16) throws(KeyringError) -> SecretBytes {
        var salt: InlineArray<16, UInt8> = .init(repeating: 0)
        var span = salt.mutableSpan
        var raw = span.mutableBytes
        organization.write(to: &raw, at: 0)
        do throws(DerivationError) {
            return try withUnsafeBytes(of: &salt) { salt throws(DerivationError) in
                try Derivation.hkdf(input: deviceSecret, salt: salt, info: "mamd machine key v1")
            }
        } catch { throw .derivation(error) }
    }
}
