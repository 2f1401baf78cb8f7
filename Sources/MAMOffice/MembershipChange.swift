// Who comes into a group and who leaves it, by a membership that is to be signed.

package import MAMFleet
package import MAMModel

package struct MembershipChange: Sendable, Equatable {
    package let group: String
    package let joining: [String]
    package let leaving: [String]
    /// How many people were in it.
    package let formerCount: Int
    /// Whether somebody is in it afterwards.
    private let hasMembers: Bool
    private let isNew: Bool

    /// Nil unless it is the membership of one group. Names that differ in case alone are the same.
    package init?(_ change: PolicyChange) {
        guard change.slot.kind == .membership,
            let new = try? Membership(parsing: change.content).members,
            let (group, names) = new.first, new.count == 1
        else { return nil }
        let former = change.former.flatMap { try? Membership(parsing: $0.content).members[group] }
        let (before, after) = (former ?? [], names)
        self.group = group
        joining = Self.names(after, missingIn: before)
        leaving = Self.names(before, missingIn: after)
        formerCount = before.count
        (hasMembers, isNew) = (!after.isEmpty, former == nil)
    }

    private static func names(_ some: [String], missingIn others: [String]) -> [String] {
        let known = Set(others.map(\.caseFolded))
        return some.filter { !known.contains($0.caseFolded) }
    }

    /// Refuses what a wrong answer of the directory would look like. `most`: how many may leave, of
    /// any group; nil: a tenth of it. `named`: how many may leave this one, as somebody has said.
    package func check(atMost most: Int?, named: Int?) throws(PeopleRefusal) {
        if let named, leaving.count <= named { return }
        guard hasMembers || (leaving.isEmpty && !isNew) else {
            throw .empty(group: group, leaving: leaving.count)
        }
        let limit = named ?? most ?? max(1, formerCount / 10)
        guard leaving.count <= limit else {
            throw .leaving(
                group: group, count: leaving.count, of: formerCount, atMost: limit)
        }
    }
}

extension DirectoryMembers {
    /// The membership document that has them.
    package func wanted() throws(PeopleRefusal) -> WantedPolicy {
        let content = Membership(members: [group: names]).json.encoded()
        // An envelope has it in base64, and a few signatures beside it.
        guard content.count <= (Envelope.maximumByteCount - 16_384) / 4 * 3 else {
            throw .tooMany(group: group, count: names.count)
        }
        return WantedPolicy(
            PeopleSettings.slot(ofGroup: group), content, from: PeopleSettings.file)
    }

    /// Of a group that the settings name no more.
    package init(nobodyIn group: String) {
        self.init(group: group, names: [], nameless: [], otherCount: 0)
    }
}

extension OrganizationDirectory {
    /// The newest membership of each group that `fleet people` has written.
    package func peopleMemberships(
        by root: Root, of organization: Bytes16
    ) throws(Failure) -> [SignedPolicy] {
        try policies(below: Self.signed, by: root, of: organization, [.membership]).filter {
            $0.slot.audience == .all && $0.slot.name.hasPrefix(PeopleSettings.slotPrefix)
        }
    }
}
