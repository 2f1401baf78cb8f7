// MAMCrypto: secret memory, sealing, wrapping and derivation. The only module that sees OpenSSL and
// libsodium; it knows nothing of files, accounts or formats.
//
//   SecretBytes, SecretSlots   locked memory           BlockCipher, KeyWrap, OneShot   AES-256-GCM
//   SecureRandom               the kernel's generator  Derivation, Curve25519          keys from keys

internal import CCrypto
internal import CSodium

/// What this program runs with, such as `OpenSSL 3.0.15 3 Sep 2024` and `1.0.18`.
package var cryptoVersions: (openSSL: String, sodium: String) {
    (
        String(cString: OpenSSL_version(OPENSSL_VERSION)),
        String(cString: sodium_version_string())
    )
}

// A global is initialised once, whichever thread comes first.
private let sodiumIsReady: Bool = sodium_init() >= 0

/// Prepares libsodium, once; every later call costs one load. Secret memory calls it itself, so a program
/// calls it only to fail early.
package func startCrypto() {
    precondition(sodiumIsReady, "libsodium cannot start: no source of randomness")
}
