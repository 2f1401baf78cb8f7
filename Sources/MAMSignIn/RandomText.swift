// What an issuer gives back, and nobody guesses: states, nonces, PKCE's verifiers.

internal import MAMCrypto
internal import MAMModel

/// 256 random bits in base64url.
package func randomText() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { SecureRandom.fill($0) }
    return Base64URL.text(bytes)
}
