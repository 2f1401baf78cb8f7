// Tokens and key sets, as anybody may send them: docs/SIGN-IN.md.

import MAMModel
import MAMSignIn

func checkToken(_ bytes: [UInt8]) throws(Violation) {
    _ = try? IssuerKeys(parsing: bytes)
    guard let token = try? SignedToken(parsing: bytes) else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let again = parts.map { Base64URL.bytes($0.utf8).map { Base64URL.text($0) } ?? "?" }
    try expect(again.joined(separator: ".") == text, "a token in another form of base64url")
    for keys in [KnownIssuer.rsa, KnownIssuer.curve] {
        guard
            (try? token.person(
                signedBy: keys, asking: KnownIssuer.question, at: KnownIssuer.clock)) != nil
        else { continue }
        try expect(
            KnownIssuer.ends.contains(String(text.suffix(24))), "a token nobody signed")
    }
}

/// The issuer of the corpus, whose private keys are gone.
private enum KnownIssuer {
    static let clock: Int64 = 1_800_000_000
    static let question = SignInQuestion(
        issuer: "https://issuer.example/tenant", clientID: "client",
        nonce: .required("the nonce"), begun: clock)
    static let rsa = prepared { try IssuerKeys(parsing: Array(rsaKeys.utf8)) }
    static let curve = prepared { try IssuerKeys(parsing: Array(curveKeys.utf8)) }
    /// How the signatures of its tokens end.
    static let ends: Set<String> = [
        "gzuT1gVjDfF15C5hskXynneA", "iXJIBQlZ0RG1a16X6k0dN42A",
        "E1D3dZ10sd9auCZVPXKXN6sQ", "cPp2T95VZx_H6M4oUl7mr-bA",
    ]

    static let rsaKeys = [
        "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"2Y8UL6IMR0kX5G8LMLl2QNxMxGbaARj8IvwJypg6t8ba39DW",
        "DdSEZFtctplAhg9s46n5E3MJ30G-2XD2cUxqoFxauihzRES_0i_JdUDGu0IKjTXGEmjzGieE7o16axS9K6P0",
        "Ib348Dla7eGMbFDwxVkY74c5oHOmPlOvys2-Xal1j5Rq3x4-arWD1Igamj_24jDByKyKfUuzEXy9PvzkvhZe",
        "yLniDFmx3UEFyn1taf_01Hkz319JInkYJHQ6GMn8JH92OsoKZ9jY60mWKmxuVBMRnckHapvM2EHA9b5dJLC9",
        "vsH8lskxZZdnYrXh8oD_ex7enMnWUNIVDF7qShPI8Q\",\"e\":\"AQAB\",\"kid\":\"rsa-key\",\"us",
        "e\":\"sig\",\"alg\":\"RS256\"}]}",
    ].joined()
    static let curveKeys = [
        "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"OE68secEdnmJ5lFNms5yYc_DlLPc5C1",
        "9p_qHJ6Kp-To\",\"y\":\"2xmFeaTAXsdO1xSfgQRpxtQrFB4buLWhrpkXrDPm6eo\",\"kid\":\"curve",
        "-key\",\"use\":\"sig\",\"alg\":\"ES256\"}]}",
    ].joined()
}
