// The identities of processes that have ended, and those that were taken back, of one user.

internal import MAMModel
internal import MAMSystem

/// What orphans may have inherited. The kernel gives an orphan another parent and tells nothing of
/// the old one; but it is still in its control group, and started after the identity was set.
///
/// Nothing is forgotten: beyond the limits it is known less exactly.
struct LostIdentities: Sendable {
    /// Those of one control group, with the time in which one of them at least was set.
    private struct Family {
        var identities: [Identity] = []
        var begin = UInt64.max
        var end = UInt64.min

        mutating func add(_ other: Family) {
            if identities.count <= LostIdentities.identitiesOfGroup {
                identities = FoundIdentity.distinct(identities + other.identities)
            }
            (begin, end) = (min(begin, other.begin), max(end, other.end))
        }
    }

    private var families: [ByteString: Family] = [:]
    /// Of all control groups, in place of each one's.
    private var everywhere: Family?

    fileprivate static let groups = 64, identitiesOfGroup = 64

    /// `end`: the last time at which a process with the identity forked; nil: not known.
    mutating func add(_ setting: IdentityTable.Setting, until end: UInt64?) {
        let lost = Family(
            identities: [setting.identity], begin: setting.origin.time, end: end ?? .max)
        if everywhere?.add(lost) != nil { return }
        families[setting.origin.group, default: Family()].add(lost)
        guard families.count > Self.groups else { return }
        everywhere = families.values.reduce(into: Family()) { $0.add($1) }
        families = [:]
    }

    /// Nil if one is, or if there are more than are counted.
    static func joined(
        _ some: [Identity]?, _ others: [Identity]?, _ settings: [IdentityTable.Setting]
    ) -> [Identity]? {
        guard var all = some, let others else { return nil }
        for identity in others + settings.map(\.identity)
        where !all.contains(where: identity.matches) {
            all.append(identity)
            guard all.count <= identitiesOfGroup else { return nil }
        }
        return all
    }

    /// The identities that an orphan may have; nil: more than are counted.
    func identities(of orphan: IdentityTable.Origin) -> [Identity]? {
        guard let family = everywhere ?? families[orphan.group],
            family.begin <= orphan.time, orphan.time <= family.end
        else { return [] }
        return family.identities.count > Self.identitiesOfGroup ? nil : family.identities
    }
}
