// Why nothing is taken of what a directory has answered.

package import MAMModel

package enum PeopleRefusal: Error, Sendable, Equatable {
    /// Not what ldapsearch writes.
    case malformed(line: Int)
    /// Part of what was asked for is on a server that nobody has asked.
    case elsewhere
    /// No person matches the filter.
    case nobody
    /// None of the people has a user principal name in this attribute.
    case nameless(attribute: String)
    case sameEntry(dn: String)
    /// Two people have one user principal name, but for case.
    case sameName(String, dn: String, other: String)
    case noGroup(String, dn: String)
    /// The parts of a long list of members do not fit together.
    case brokenRange(dn: String)
    /// The names of a group take more than a document holds.
    case tooMany(group: String, count: Int)
    case empty(group: String, leaving: Int)
    case leaving(group: String, count: Int, of: Int, atMost: Int)
}

extension PeopleRefusal: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .malformed(let line): "line \(line) of its answer is no LDIF"
        case .elsewhere: "it has part of this on another server, which is not asked"
        case .nobody: "it has nobody who matches the filter of people"
        case .nameless(let attribute):
            "nobody whom the filter finds has a user principal name in \(attribute)"
        case .sameEntry(let dn): "it has the entry \(ByteString(dn).shown) twice"
        case .sameName(let name, let dn, let other):
            "\(ByteString(dn).shown) and \(ByteString(other).shown) have one name,"
                + " \(ByteString(name).shown)"
        case .noGroup(let group, let dn):
            "the group \(group) is gone: no \(ByteString(dn).shown) is among its groups"
        case .brokenRange(let dn): "it lists the members of \(ByteString(dn).shown) incompletely"
        case .tooMany(let group, let count):
            "the names of \(count) people of the group \(group) are more than a document holds"
        case .empty(let group, let leaving):
            "the group \(group) would have no members; \(leaving) would leave it"
        case .leaving(let group, let count, let former, let limit):
            "\(count) of \(former) people would leave the group \(group) at once, of \(limit) at"
                + " most"
        }
    }
}
