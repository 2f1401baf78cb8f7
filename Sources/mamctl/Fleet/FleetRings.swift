// `fleet push --rings`: the steps of a push, for people and as JSON.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// `5,25`; nil without the option.
func ringShares(_ invocation: Invocation) throws(Failure) -> [Int]? {
    guard let text = try invocation.arguments.text("rings") else { return nil }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let shares = parts.compactMap(ringShare).filter { Ring.shares.contains(Int64($0)) }
    let isRising = zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 }
    guard shares.count == parts.count, isRising else {
        throw invocation.misuse(
            "--rings is '\(shown(text))', not numbers from 1 to 99 that rise, such as 5,25")
    }
    return shares
}

/// What has waited would go out with the new steps, by another ring.
func refuseOtherRollout(than push: PolicyPush, in directory: OrganizationDirectory) throws {
    let slots = Set(push.changes.filter(\.goesByRings).map(\.slot))
    guard let other = try directory.waitingSteps().first(where: { !slots.contains($0.slot) })
    else { return }
    throw Failure(
        .refused, "\(other.slot) has not reached all machines yet",
        next: "mamctl fleet push --next, or push without --rings what is to be for all")
}

/// What rings mean for one change.
struct ShownRings {
    let plan: RingPlan?
    let names: [MachineID: String]

    /// Nil: it is for all machines, as before.
    func row(of change: PolicyChange, _ machines: [MachineID]) -> [Message]? {
        if let plan, change.goesByRings {
            let first = plan.first.filter(machines.contains)
            let others = plan.shares.dropFirst().map { "\($0) %, " }.joined()
            let count = first.count.counted("machine")
            let list = first.prefix(Self.namedCount).map { names[$0] ?? "\($0)" }
            let more = first.count > list.count ? "…" : ""
            return [
                "first",
                first.isEmpty
                    ? "\(plan.shares[0]) %: no machine that is known; then \(others)all"
                    : "\(plan.shares[0]) %: \(count), \(list.joined(separator: ", "))\(more);"
                        + " then \(others)all",
            ]
        }
        guard let ring = change.former?.ring, change.action != .left else { return nil }
        let stays = change.action == .renewed && change.former?.isValid == true
        return [
            "ring", stays ? "still \(ring.share) %" : "all machines now, not \(ring.share) %",
        ]
    }

    private static let namedCount = 5

    var json: JSONValue {
        plan.map { plan in
            [
                "rollout": .string(plan.rollout.description),
                "shares": .array(plan.shares.map { JSONValue($0) }),
                "first": JSONValue(texts: plan.first.map(\.description)),
            ]
        } ?? .null
    }
}
