// Who signs accounts in: an issuer of OpenID Connect, under the SDK's names for it.

internal import MAMModel
internal import MAMPolicy

/// An https address, of an issuer for example.
package struct WebAddress: Sendable, Hashable {
    package let text: String
    let scheme: String
    let host: String
    let port: Int?
    let path: String

    private static let maximumByteCount = 1000

    /// Nil for anything but `SCHEME://HOST[:PORT][/PATH]`: users, questions and fragments have no
    /// place in it.
    init?(_ text: String, schemes: [String]) {
        guard text.utf8.count <= Self.maximumByteCount,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains(where: { "?#@\\\"<>".contains($0) }),
            let scheme = schemes.first(where: { text.lowercased().hasPrefix("\($0)://") })
        else { return nil }
        let rest = text.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }
        // Of [::1]:8080, for example.
        let hostEnd = authority.lastIndex(of: "]").map { authority.index(after: $0) }
        let colon = authority[(hostEnd ?? authority.startIndex)...].firstIndex(of: ":")
        host = authority[..<(colon ?? authority.endIndex)].lowercased()
        var port: Int?
        if let colon {
            port = Int(authority[authority.index(after: colon)...])
            guard let port, (1...65_535).contains(port) else { return nil }
        }
        guard !host.isEmpty else { return nil }
        self.text = text
        self.scheme = scheme
        self.port = port
        path = String(rest[authority.endIndex...])
    }
}

/// What `ADALAuthority`, or `aadAuthorityUriOverride`, says.
package struct Authority: Sendable, Hashable {
    let address: WebAddress

    /// Microsoft's. Their issuers have a tenant's id, and `/v2.0`, which the SDK's settings leave
    /// out.
    private static let entraHosts: Set = [
        "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
    ]

    init?(_ text: String) {
        guard let address = WebAddress(text, schemes: ["https"]) else { return nil }
        self.address = address
        guard isEntra else { return }
        // `common`, say, is no tenant: whoever has an account of Microsoft's could sign in.
        guard let tenant = address.path.split(separator: "/").first,
            tenant.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12],
            tenant.allSatisfy({ $0 == "-" || ($0.isHexDigit && $0.isASCII) }),
            ["", "v2.0"].contains(address.path.split(separator: "/").dropFirst().joined())
        else { return nil }
    }

    private var isEntra: Bool { Self.entraHosts.contains(address.host) }

    /// The `iss` of its tokens, and where its discovery document is.
    package var issuer: String {
        let text = address.text.last == "/" ? String(address.text.dropLast()) : address.text
        return isEntra && !text.hasSuffix("/v2.0") ? "\(text)/v2.0" : text
    }
}

/// How accounts of this workspace sign in.
package struct SignInSettings: Sendable, Equatable {
    package let issuer: String
    package let clientID: String
    /// A loopback address; without a port, a free one is taken.
    package let redirect: String
    package let allowsDeviceCode: Bool
}

extension Settings {
    /// Nil: accounts need no sign-in.
    package var signIn: SignInSettings? {
        guard let authority = authorityOverride ?? authority,
            let clientID = clientIDOverride ?? clientID
        else { return nil }
        return SignInSettings(
            issuer: authority.issuer, clientID: clientID, redirect: redirect,
            allowsDeviceCode: signInDeviceCode)
    }

    private var redirect: String {
        redirectOverride ?? redirectURI ?? "\(redirectScheme ?? "http")://127.0.0.1"
    }

    /// A sign-in that is wanted must not be left out because of what else is missing.
    func checkSignIn() throws(PolicyError) {
        guard authorityOverride ?? authority != nil, clientIDOverride ?? clientID == nil else {
            return
        }
        throw .value(
            key: "ADALClientId", expected: "the client's id at the issuer that ADALAuthority names")
    }
}

extension Shape where Value == Authority {
    static let authority = Shape(
        "an https address of an issuer; of Entra ID, with the tenant's id",
        read: { $0.text.flatMap(Authority.init) }, write: { .string($0.address.text) })
}

extension Shape where Value == String {
    static let clientID = Shape(
        "a client's id", read: { $0.text.flatMap { isPlain($0) ? $0 : nil } },
        write: { .string($0) })

    private static func isPlain(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// On iOS it leads back to an app, by a scheme of its own; here to a port of this machine.
    static let loopback = Shape(
        "a loopback address, such as http://127.0.0.1 or http://localhost/callback",
        read: { value in
            guard let text = value.text, let address = WebAddress(text, schemes: ["http"]),
                ["127.0.0.1", "localhost"].contains(address.host)
            else { return nil }
            return text
        }, write: { .string($0) })

    static let loopbackScheme = Shape(
        "http", read: { $0.text == "http" ? "http" : nil }, write: { .string($0) })
}
