// The key for marks, by which the daemon recognises what it wrote into the backing directory.

package import MAMCrypto
package import MAMModel

extension Keyring {
    /// One per workspace, derived from the device secret, so that access to the backing directory
    /// does not suffice to forge a mark.
    ///
    /// Nil if the derivation fails; then no mark is recognised.
    package func markingKey(of workspace: Bytes16) -> SecretBytes? {
        let salt = (workspace.high.bigEndian, workspace.low.bigEndian)
        return withUnsafeBytes(of: salt) { salt in
            try? Derivation.hkdf(input: deviceSecret, salt: salt, info: "mamd marks v1")
        }
    }
}
