// A person signs in in a browser: an authorization code, which returns to a port of this machine
// (RFC 8252), bound to this process by PKCE (RFC 7636).

import Glibc
import MAMCommandLine
import MAMCrypto
import MAMModel
import MAMSignIn
import MAMSystem

func askInBrowser(
    _ issuer: Issuer, _ account: String, nonce: String, redirect: String, opens: Bool
) throws(Failure) -> Tokens {
    let (verifier, state) = (randomText(), randomText())
    let listener = try Loopback(for: redirect)
    let address =
        issuer.authorization + (issuer.authorization.contains("?") ? "&" : "?")
        + encoded([
            ("response_type", "code"), ("client_id", issuer.clientID),
            ("redirect_uri", listener.address), ("scope", Issuer.scope), ("state", state),
            ("nonce", nonce), ("code_challenge_method", "S256"),
            ("code_challenge", Base64URL.text(SHA256.digest(of: Array(verifier.utf8)))),
            ("login_hint", account),
        ])
    printError("Sign in as \(shown(account)) in a browser of this machine:\n  \(address)")
    if opens { openBrowser(address) }
    let code = try listener.code(answering: state, from: issuer.name)
    let answer = try issuer.tokens([
        ("grant_type", "authorization_code"), ("code", code),
        ("redirect_uri", listener.address), ("code_verifier", verifier),
    ])
    guard case .success(let tokens) = answer else { throw Failure("there is no token") }
    return tokens
}

/// The address has nothing that lets anybody else sign in: the code is worthless without the
/// verifier, which stays here.
private func openBrowser(_ address: String) {
    guard let null = try? openFile("/dev/null", O_RDWR) else { return }
    let words = ["xdg-open", address].map { ByteString($0) }
    _ = withExtendedLifetime(null) {
        try? spawn(words, files: [null.raw: STDOUT_FILENO], inNewSession: true)
    }
}
