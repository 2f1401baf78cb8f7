// What is signed of a document.

internal import MAMCrypto
package import MAMModel

/// JSON with exactly these members: `organization` (its id), `audience`, `name`, `serial`,
/// `issued`, `expires` (a root's may be missing), `sha256` and `byteCount` of the content, and of a
/// policy perhaps `ring`.
package struct Statement: Sendable, Equatable {
    /// The organisation's id: 32 hexadecimal digits.
    package var organization: Bytes16
    package var audience: Audience
    /// See ``isName(_:)``; an order's is its ``nonce``.
    package var name: String
    /// At least 1. Of documents of one kind, audience and name the highest counts.
    package var serial: Int64
    /// In seconds since 1970, as ``expires``.
    package var issued: Int64
    package var expires: Int64?
    /// SHA-256 of the content.
    package var digest: [UInt8]
    package var byteCount: Int64
    /// The content is a ``PolicyPair``.
    package var ring: Ring?

    package init(
        of content: [UInt8], organization: Bytes16, audience: Audience, name: String,
        serial: Int64, issued: Int64, expires: Int64?, ring: Ring? = nil
    ) {
        (self.organization, self.audience, self.name) = (organization, audience, name)
        (self.serial, self.issued, self.expires, self.ring) = (serial, issued, expires, ring)
        digest = SHA256.digest(of: content)
        byteCount = Int64(content.count)
    }

    package func isOf(_ content: [UInt8]) -> Bool {
        byteCount == Int64(content.count) && digest == SHA256.digest(of: content)
    }
}

extension Statement {
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "organization": .string(organization.description),
            "audience": .string(audience.description), "name": .string(name),
            "serial": .integer(serial), "issued": .string(rfc3339(issued)),
            "sha256": .string(hexadecimal(digest)), "byteCount": .integer(byteCount),
        ]
        if let expires { members["expires"] = .string(rfc3339(expires)) }
        if let ring { members["ring"] = ring.json }
        return .object(members)
    }

    /// The name of an order, 32 hexadecimal digits: half of the SHA-256 of what else is signed. So
    /// nobody signs another order by the same name (docs/adr/0092-a-nonce-of-its-own.md).
    package var nonce: String {
        let parts = [
            "\(organization)", "\(audience)", "\(serial)", rfc3339(issued), rfc3339(expires ?? 0),
            hexadecimal(digest),
        ]
        let whole = SHA256.digest(of: Array(parts.joined(separator: " ").utf8))
        return hexadecimal(Array(whole.prefix(16)))
    }

    package init(_ json: JSONValue, kind: DocumentKind) throws(Refusal) {
        var members = Members(json, of: "the statement")
        organization = try members.id("organization")
        audience = try members.take("audience", "all, group:NAME or machine:ID") {
            $0.text.flatMap(Audience.init)
        }
        name = try members.take("name", "1 to 100 letters, digits, '.', '_' and '-'") {
            $0.text.flatMap { isName($0) ? $0 : nil }
        }
        serial = try members.number("serial", from: 1)
        issued = try members.time("issued")
        expires =
            kind == .root && !members.has("expires") ? nil : try members.time("expires")
        digest = try members.take("sha256", "64 hexadecimal digits") {
            $0.text.flatMap(bytes(hexadecimal:)).flatMap {
                $0.count == SHA256.byteCount ? $0 : nil
            }
        }
        byteCount = try members.number("byteCount", from: 0)
        if kind == .policy, members.has("ring") {
            ring = try Ring(members.take("ring", "an object") { $0 })
        }
        try members.requireEmpty()
        if let expires, expires <= issued { throw .malformed("it expires before it is issued") }
    }
}

package let secondsPerDay: Int64 = 86_400

/// `2026-05-04T03:02:01Z`
package func rfc3339(_ seconds: Int64) -> String {
    // Times of attackers must not overflow; the year 9999 is late enough.
    let bounded = min(max(seconds, 0), 253_402_300_799)
    return String(Timestamp(milliseconds: bounded * 1000).text.dropLast(5)) + "Z"
}

package func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Nil for anything that ``hexadecimal(_:)`` would not write.
package func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    let found = stride(from: 0, to: digits.count, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
    return hexadecimal(found) == text ? found : nil
}
