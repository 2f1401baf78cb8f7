// The identities of processes that have ended, and those that were taken back, of one user.

internal import MAMModel

/// What orphans may have inherited. The kernel gives an orphan another parent and tells nothing of
/// the old one; but it is still in its control group, and started after the identity was set. When
/// the identity ended tells nothing: what had inherited it may fork as long as it lives.
///
/// Nothing is forgotten: beyond the limits it is known less exactly.
struct LostIdentities: Sendable {
    /// Those of one control group, each with the time at which it was first set.
    private struct Family {
        private var begins: [(identity: Identity, time: UInt64)] = []

        mutating func add(_ identity: Identity, since time: UInt64) {
            if let known = begins.firstIndex(where: { $0.identity.matches(identity) }) {
                begins[known].time = min(begins[known].time, time)
            } else if begins.count <= LostIdentities.identitiesOfGroup {
                begins.append((identity, time))
            } else {
                // It is not kept, and orphans since then may have it: the list is too long to tell.
                begins[0].time = min(begins[0].time, time)
            }
        }

        mutating func add(_ other: Family) {
            for (identity, time) in other.begins { add(identity, since: time) }
        }

        /// Those that were set by then; nil: more than are counted.
        func identities(at time: UInt64) -> [Identity]? {
            let some = begins.filter { $0.time <= time }.map(\.identity)
            let isFull = begins.count > LostIdentities.identitiesOfGroup
            return isFull && !some.isEmpty ? nil : some
        }
    }

    private var families: [ByteString: Family] = [:]
    /// Of all control groups, in place of each one's.
    private var everywhere: Family?

    fileprivate static let groups = 64, identitiesOfGroup = 64

    mutating func add(_ setting: IdentityTable.Setting) {
        let (identity, origin) = (setting.identity, setting.origin)
        if everywhere?.add(identity, since: origin.time) != nil { return }
        families[origin.group, default: Family()].add(identity, since: origin.time)
        guard families.count > Self.groups else { return }
        everywhere = families.values.reduce(into: Family()) { $0.add($1) }
        families = [:]
    }

    /// All of them; nil if one list is nil, or if there are more than are counted.
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
        guard let family = everywhere ?? families[orphan.group] else { return [] }
        return family.identities(at: orphan.time)
    }
}
