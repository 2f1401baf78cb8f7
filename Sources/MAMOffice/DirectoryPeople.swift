// Who is in which group, by a directory's entries.

internal import MAMModel

/// A member of a group who has no name that counts.
package struct NamelessMember: Sendable, Hashable {
    package let dn: String
    package let reason: Reason

    package enum Reason: String, Error {
        case none, several, control, long, malformed
    }
}

/// People by their entries.
package struct DirectoryPeople: Sendable {
    fileprivate var names: [String: String] = [:]
    fileprivate var nameless: [String: NamelessMember] = [:]

    /// `attribute`: has a person's user principal name. Refuses two people of one name: nobody
    /// knows whose the account is.
    package init(_ entries: [DirectoryEntry], attribute: String) throws(PeopleRefusal) {
        guard !entries.isEmpty else { throw .nobody }
        var owners: [String: String] = [:]
        for entry in entries {
            let key = entry.key
            guard names[key] == nil, nameless[key] == nil else { throw .sameEntry(dn: entry.dn) }
            switch principalName(entry.values[attribute.lowercased()] ?? []) {
            case .success(let name):
                if let other = owners.updateValue(entry.dn, forKey: name.caseFolded) {
                    throw .sameName(name, dn: other, other: entry.dn)
                }
                names[key] = name
            case .failure(let reason):
                nameless[key] = NamelessMember(dn: entry.dn, reason: reason)
            }
        }
        guard !names.isEmpty else { throw .nameless(attribute: attribute) }
    }
}

/// The name, as an account has it: a text, one `@`, and something on both sides of it.
private func principalName(_ values: [[UInt8]]) -> Result<String, NamelessMember.Reason> {
    guard let value = values.first else { return .failure(.none) }
    guard values.count == 1 else { return .failure(.several) }
    guard value.count <= Identity.maximumNameByteCount else { return .failure(.long) }
    guard let name = String(validating: value, as: UTF8.self) else {
        return .failure(.malformed)
    }
    guard !value.contains(0), name.onOneLine == name else { return .failure(.control) }
    let parts = name.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts.contains(where: \.isEmpty),
        !name.contains(where: \.isWhitespace)
    else { return .failure(.malformed) }
    return .success(name)
}

/// A group of the organisation's, as the directory has it.
package struct DirectoryMembers: Sendable, Equatable {
    package let group: String
    /// In order, each once.
    package let names: [String]
    package let nameless: [NamelessMember]
    /// Entries that are neither people of the filter nor groups, such as disabled accounts.
    package let otherCount: Int
}

/// Groups by their entries.
package struct DirectoryGroups {
    private let entries: [String: DirectoryEntry]
    private let attribute: String
    /// Reads the next part of a long list of members: Active Directory gives 1,500 at a time.
    private let more: (_ dn: String, _ attribute: String) throws -> DirectoryEntry?

    package init(
        _ entries: [DirectoryEntry], attribute: String,
        more: @escaping (_ dn: String, _ attribute: String) throws -> DirectoryEntry?
    ) throws(PeopleRefusal) {
        var found: [String: DirectoryEntry] = [:]
        for entry in entries where found.updateValue(entry, forKey: entry.key) != nil {
            throw .sameEntry(dn: entry.dn)
        }
        (self.entries, self.attribute, self.more) = (found, attribute.lowercased(), more)
    }

    /// The people of the group `dn`, and of the groups in it, which may be in one another.
    package func members(
        of group: String, dn: String, among people: DirectoryPeople
    ) throws -> DirectoryMembers {
        guard let first = entries[directoryKey(dn)] else {
            throw PeopleRefusal.noGroup(group, dn: dn)
        }
        var (ahead, seen) = ([first], Set([first.key]))
        var names: Set<String> = []
        var (nameless, others) = (Set<NamelessMember>(), 0)
        while let next = ahead.popLast() {
            for member in try members(of: next) {
                let key = directoryKey(member)
                guard seen.insert(key).inserted else { continue }
                if let name = people.names[key] {
                    names.insert(name)
                } else if let person = people.nameless[key] {
                    nameless.insert(person)
                } else if let inner = entries[key] {
                    ahead.append(inner)
                } else {
                    others += 1
                }
            }
        }
        return DirectoryMembers(
            group: group, names: names.sorted(), nameless: nameless.sorted { $0.dn < $1.dn },
            otherCount: others)
    }

    private func members(of entry: DirectoryEntry) throws -> [String] {
        var part = try MemberPart(entry, attribute, from: 0)
        var found = part.values
        while let next = part.next {
            guard let rest = try more(entry.dn, "\(attribute);range=\(next)-*"),
                rest.key == entry.key
            else { throw PeopleRefusal.brokenRange(dn: entry.dn) }
            part = try MemberPart(rest, attribute, from: next)
            found += part.values
        }
        return found
    }
}

/// What one answer has of a group's members.
private struct MemberPart {
    let values: [String]
    /// The number of the first that is missing; nil: none is.
    let next: Int?

    init(_ entry: DirectoryEntry, _ attribute: String, from first: Int) throws(PeopleRefusal) {
        let broken = PeopleRefusal.brokenRange(dn: entry.dn)
        // Active Directory names the attribute without values beside the part of it.
        let found = entry.values.filter {
            $0.key.hasPrefix("\(attribute);") || ($0.key == attribute && $0.value != [[]])
        }
        guard found.count <= 1 else { throw broken }
        guard let (key, bytes) = found.first else {
            guard first == 0 else { throw broken }
            (values, next) = ([], nil)
            return
        }
        let texts = bytes.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == bytes.count else { throw broken }
        values = texts
        if key == attribute, first == 0 {
            next = nil
            return
        }
        let bounds = key.dropFirst(attribute.count).split(separator: "=")
        guard bounds.count == 2, bounds[0] == ";range" else { throw broken }
        let ends = bounds[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, Int(ends[0]) == first, !texts.isEmpty else { throw broken }
        if ends[1] == "*" {
            next = nil
        } else {
            guard Int(ends[1]) == first + texts.count - 1 else { throw broken }
            next = first + texts.count
        }
    }
}
