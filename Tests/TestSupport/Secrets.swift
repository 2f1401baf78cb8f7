package import MAMCrypto

package func secret(_ text: String) -> SecretBytes {
    Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) }
}

package func revealed(_ secret: SecretBytes) -> String {
    secret.withBytes { String(decoding: $0, as: UTF8.self) }
}
