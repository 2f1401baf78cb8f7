// The key by which the daemon knows again what it wrote into the backing directory.

package import MAMCrypto
package import MAMModel

extension Keyring {
    /// One for each workspace, from the device secret: who has the backing directory alone cannot
    /// make it.
    ///
    /// Nil if the derivation fails; nothing counts as the daemon's own then.
    package func markingKey(of workspace: Bytes16) -> SecretBytes? {
        let salt = (workspace.high.bigEndian, workspace.low.bigEndian)
        return withUnsafeBytes(of: salt) { salt in
            try? Derivation.hkdf(input: deviceSecret, salt: salt, info: "mamd marks v1")
        }
    }
}
