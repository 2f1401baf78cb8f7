// What every machine demands of a document besides signatures, serials and times.

internal import MAMCrypto
package import MAMModel

extension SignedDocument {
    /// How long an order may last: one that nobody still wants must not be obeyed. mamctl signs
    /// nothing else for longer either, except roots, which have no expiry.
    package static let longestDays: Int64 = 366
    package static let timeName = "time"

    package func checkContent() throws(Refusal) {
        switch kind {
        case .time:
            // One, for all: with several, an old one's documents could be held back.
            guard slot == Slot(.time, .all, Self.timeName) else {
                throw .malformed("a time is for all, and named \(Self.timeName)")
            }
            _ = try SignedTime(parsing: content)
        case .membership: _ = try Membership(parsing: content)
        case .settings:
            // Empty, it is withdrawn. Which settings there are, MAMSettings knows.
            guard content.isEmpty || (try? JSONValue(parsing: content))?.object != nil else {
                throw .malformed("the settings are no JSON object")
            }
        case .order: _ = try order()
        case .root, .policy: break
        }
    }

    package func order() throws(Refusal) -> Order { try Order(in: envelope, statement) }
}

extension Order {
    /// The order in `envelope`, whose signatures are not looked at; `statement`: the envelope's.
    package init(in envelope: Envelope, _ statement: Statement) throws(Refusal) {
        try self.init(parsing: envelope.content)
        guard Bytes16(hex: statement.name)?.description == statement.name else {
            throw .malformed("an order's name must be a nonce of 32 hexadecimal digits")
        }
        if needsAll {
            guard case .machine = statement.audience else {
                throw .malformed("an order to \(action.rawValue) must name one machine")
            }
        } else if statement.name != statement.nonce {
            // One key must not use up the nonce of an order that takes several.
            throw .otherNonce
        }
        guard let expires = statement.expires,
            expires - statement.issued <= SignedDocument.longestDays * secondsPerDay
        else { throw .lastsTooLong(days: SignedDocument.longestDays) }
    }
}

extension Envelope {
    /// A new order, which nobody has signed yet. Times are in seconds since 1970.
    package init(
        _ order: Order, for audience: Audience, of organization: Bytes16, issued: Int64,
        expires: Int64
    ) {
        let content = order.json.encoded()
        // Two that are alike in all else are two.
        let serial = Int64(SecureRandom.bytes16().high >> 11) + 1
        var statement = Statement(
            of: content, organization: organization, audience: audience, name: "",
            serial: serial, issued: issued, expires: expires)
        statement.name = statement.nonce
        self.init(.order, statement, content: content)
    }
}
