// Why a token, or an issuer's keys, are not accepted.

package import MAMModel

/// Its description is a clause.
package enum TokenRefusal: Error, Sendable, Equatable {
    /// What is wrong with its form; a clause.
    case malformed(String)
    case algorithm(String)
    /// No key of that name is known.
    case unknownKey(String)
    case notSigned
    case otherIssuer(String)
    case otherAudience
    case otherNonce
    /// So many seconds ago.
    case expired(Int64)
    /// For so many seconds.
    case notYetValid(Int64)
    /// So many seconds before the sign-in began.
    case issuedBefore(Int64)
    case otherPerson(String)
}

extension TokenRefusal: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .malformed(let reason): Message(known: reason)
        case .algorithm(let name): "it is signed by '\(name)', and not by RS256 or ES256"
        case .unknownKey(let id): "the issuer has published no key '\(id)'"
        case .notSigned: "its signature is wrong"
        case .otherIssuer(let name): "another issuer made it, '\(name)'"
        case .otherAudience: "it is for another client"
        case .otherNonce: "it is the answer to another sign-in"
        case .expired(let time): "it expired \(time) s ago"
        case .notYetValid(let time): "it is not valid for another \(time) s"
        case .issuedBefore(let time): "it was issued \(time) s before this sign-in"
        case .otherPerson(let name): "it is for another person, '\(name)'"
        }
    }
}

/// What an issuer has written, for a message.
func glance(_ text: String) -> String {
    let printable = text.unicodeScalars.prefix(100).map { scalar in
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "?" : Character(scalar)
    }
    return String(printable)
}
