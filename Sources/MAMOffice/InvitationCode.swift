// The one-time code that lets a machine ask to be admitted.

package import MAMCrypto
package import MAMEngine
package import MAMFleet
package import MAMModel

/// `mamd1:` and base64url of JSON: `organization` (the fingerprint of a root), `invitation`,
/// `servers`, `ca`, `jwt`, `https` and, at the end, `seed`. Its holder may use it.
package struct InvitationCode: Sendable {
    package let invitation: Bytes16
    /// The fingerprint of the root that the machine pins.
    package let fingerprint: String
    package let servers: [String]
    /// The certificate that the servers' are signed by, in DER; nil for the system's authorities.
    package let authority: [UInt8]?
    package let https: String?
    package let token: Token
    package let seed: NKeySeed

    package static let prefix = "mamd1:"
    package static let maximumByteCount = 16_384
    private static let seedMember = #","seed":""#
    private static let end = #""}"#

    package init(
        _ invitation: Bytes16, fingerprint: String, _ settings: EngineSettings,
        authority: [UInt8]?, _ token: Token, _ seed: NKeySeed
    ) {
        precondition(token.subject == seed.key)
        (self.invitation, self.fingerprint) = (invitation, fingerprint)
        (servers, https) = (settings.servers, settings.https)
        (self.authority, self.token, self.seed) = (authority, token, seed)
    }

    /// The code, without a line feed.
    package var text: SecretBytes {
        var members: [String: JSONValue] = [
            "organization": .string(fingerprint), "invitation": .string(invitation.description),
            "servers": JSONValue(texts: servers), "jwt": .string(token.text),
        ]
        members["ca"] = authority.map { .string(base64($0)) }
        members["https"] = https.map { .string($0) }
        let open = String(decoding: JSONValue.object(members).encoded().dropLast(), as: UTF8.self)
        let json = SecretBytes.joining([
            .text(open + Self.seedMember), .secret(seed.text), .text(Self.end),
        ])
        let digits = SecretBytes(count: Base64URL.textCount(json.count)) { room in
            json.withBytes { Base64URL.encode($0, into: room) }
        }
        return .joining([.text(Self.prefix), .secret(digits)])
    }

    /// Blanks, as at the end of a line, are ignored around the code.
    package init(parsing code: SecretBytes) throws(Refusal) {
        let json = try Self.decoded(code)
        let tail = Self.end.utf8.count
        let seedStart = json.count - tail - NKeySeed.textByteCount
        let head = seedStart - Self.seedMember.utf8.count
        guard head > 0 else { throw Self.malformed }
        let (open, secret) = json.withBytes { bytes in
            (
                bytes[..<seedStart].elementsEqual(bytes[..<head] + Array(Self.seedMember.utf8))
                    && bytes[(json.count - tail)...].elementsEqual(Self.end.utf8)
                    ? Array(bytes[..<head]) + [UInt8(ascii: "}")] : [],
                SecretBytes(
                    copying: .init(rebasing: bytes[seedStart..<seedStart + NKeySeed.textByteCount]))
            )
        }
        guard let found = try? JSONValue(parsing: open, maximumCount: 1000) else {
            throw Self.malformed
        }
        var members = Members(found, of: "the code")
        fingerprint = try members.take("organization", "a fingerprint") {
            $0.text.flatMap { bytes(hexadecimal: $0)?.count == SHA256.byteCount ? $0 : nil }
        }
        invitation = try members.take("invitation", "an id", hexID)
        servers = try members.take("servers", "a list") { $0.elements(\.text) }
        authority = members.has("ca") ? try members.take("ca", "base64", \.bytes) : nil
        https = members.has("https") ? try members.text("https") : nil
        token = try Token(parsing: try members.take("jwt", "a token") { $0.text })
        try members.requireEmpty()
        do throws(NKeySeed.Malformed) { seed = try NKeySeed(parsing: secret, .user) } catch {
            throw Self.malformed
        }
        guard token.kind == .user, token.subject == seed.key else { throw Self.malformed }
    }

    private static var malformed: Refusal {
        .malformed("it is no invitation, or was not copied as a whole")
    }

    private static func decoded(_ code: SecretBytes) throws(Refusal) -> SecretBytes {
        let json = code.withBytes { bytes -> SecretBytes? in
            let isBlank = { (byte: UInt8) in byte <= 0x20 }
            let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
            let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? bytes.count
            guard bytes.count <= maximumByteCount, start < end,
                bytes[start..<end].starts(with: prefix.utf8)
            else { return nil }
            let digits = UnsafeRawBufferPointer(
                rebasing: bytes[(start + prefix.utf8.count)..<end])
            let json = SecretBytes(count: digits.count * 6 / 8)
            return json.withMutableBytes { Base64URL.decode(digits, into: $0) } ? json : nil
        }
        guard let json else { throw malformed }
        return json
    }
}
