// The versions of the libraries. MAMCrypto alone sees OpenSSL, libsodium and IPsec Multi-Buffer; it
// knows nothing of files, accounts or formats.

internal import CCrypto
internal import CSodium

/// The versions of the libraries in use, such as `OpenSSL 3.0.15 3 Sep 2024` and `1.0.18`.
package var cryptoVersions: (openSSL: String, sodium: String) {
    (
        String(cString: OpenSSL_version(OPENSSL_VERSION)),
        String(cString: sodium_version_string())
    )
}

/// The version of Intel's IPsec Multi-Buffer library, such as `v1.3.0`; nil if it is not in use.
package var vectorLibraryVersion: String? {
    #if canImport(CIPsecMB)
        GCMLibrary.chosen == .openSSL ? nil : VectorGCM.version
    #else
        nil
    #endif
}

// Swift initialises a global once, on any thread.
private let sodiumIsReady: Bool = sodium_init() >= 0

/// Initialises libsodium once; later calls cost one load. Secret memory calls it itself: a program
/// calls it only to fail early.
package func startCrypto() {
    precondition(sodiumIsReady, "libsodium cannot start: no source of randomness")
}
