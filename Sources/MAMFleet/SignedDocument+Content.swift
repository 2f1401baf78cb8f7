// What every machine demands of a document besides signatures, serials and times.

internal import MAMModel

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
        case .order: _ = try order()
        case .root, .policy: break
        }
    }

    /// The content of an order, which must have an expiry.
    package func order() throws(Refusal) -> Order {
        let order = try Order(parsing: content)
        guard Bytes16(hex: statement.name)?.description == statement.name else {
            throw .malformed("an order's name must be a nonce of 32 hexadecimal digits")
        }
        if order.needsAll {
            guard case .machine = statement.audience else {
                throw .malformed("an order to \(order.action.rawValue) must name one machine")
            }
        }
        guard let expires = statement.expires,
            expires - statement.issued <= Self.longestDays * secondsPerDay
        else { throw .lastsTooLong(days: Self.longestDays) }
        return order
    }
}
