// Why a document is not accepted.

package import MAMModel

package enum Refusal: Error, Sendable, Equatable {
    /// What is wrong with its form; a clause.
    case malformed(String)
    case contentChanged
    case otherOrganization(Bytes16)
    /// `needed` different keys of the role must have signed.
    case notSigned(Role, found: Int, needed: Int)
    /// A policy key that signs policies for these groups alone.
    case outOfScope(Bytes16, [String])
    /// A policy names a recovery key, or the one that it replaces does, and `needed` different
    /// order keys must have signed it.
    case recoveryKeyNotOrdered(found: Int, needed: Int)
    case notForThisMachine(Audience)
    /// A report is not signed with the key of the machine.
    case notByMachine(MachineID)
    case older(serial: Int64, than: Int64)
    /// Another document of the same serial is known.
    case twoOfOneSerial(Int64)
    case expired(Int64)
    case lastsTooLong(days: Int64)
    case obeyed
    /// An order that one key signs has a nonce that may be another order's.
    case otherNonce
    /// A root took the key of its predecessor away at that time.
    case issuedBefore(Int64)
    /// An order or a time of days to come, or a clock that is days behind.
    case issuedLater(Int64)
    case full
    case notSerial(found: Int64, expected: Int64)
}

extension Refusal: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .malformed(let reason): Message(known: reason)
        case .contentChanged: "its content is not what was signed"
        case .otherOrganization(let id): "it is of another organisation, \(id)"
        case .notSigned(let role, let found, let needed):
            Message(
                needed,
                one: "it needs the signatures of \(needed) \(role.rawValue) key, and has \(found)",
                many: "it needs the signatures of \(needed) \(role.rawValue) keys, and has \(found)"
            )
        case .outOfScope(let key, let groups):
            "the key \(key) signs policies for \(groups.joined(separator: ", ")) alone, named"
                + " \(Root.namePrefix(of: key))…"
        case .recoveryKeyNotOrdered(let found, let needed):
            Message(
                needed,
                one: "it names a recovery key, or takes one away, and so needs the signature of"
                    + " \(needed) order key, and has \(found)",
                many: "it names a recovery key, or takes one away, and so needs the signatures of"
                    + " \(needed) order keys, and has \(found)")
        case .notForThisMachine(let audience): "it is for \(audience), not for this machine"
        case .notByMachine(let id): "it is not signed with the key of the machine \(id)"
        case .older(let serial, let highest):
            "its serial \(serial) is older than \(highest), which was accepted before"
        case .twoOfOneSerial(let serial):
            "another document with serial \(serial) was accepted before"
        case .expired(let time): "it expired at \(rfc3339(time))"
        case .lastsTooLong(let days): "it may last \(days) days at most"
        case .obeyed: "it was obeyed before"
        case .otherNonce: "its nonce is not its own: it may be another order's"
        case .issuedBefore(let time):
            "it was issued before \(rfc3339(time)), when the key of its predecessor was taken away"
        case .issuedLater(let time): "it was issued at \(rfc3339(time)), which is days from now"
        case .full: "there are as many documents or orders already as are kept"
        case .notSerial(let found, let expected):
            "its serial is \(found); the next root's is \(expected)"
        }
    }
}
