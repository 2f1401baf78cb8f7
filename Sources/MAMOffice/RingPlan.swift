// Which machines a push reaches first, and the steps by which it reaches all.

internal import MAMCrypto
package import MAMFleet
package import MAMModel

/// For all policies of one push that change.
package struct RingPlan: Sendable, Equatable {
    package let rollout: Bytes16
    /// In percent, rising and below 100; all machines follow.
    package let shares: [Int]
    /// The machines of the first ring that are known.
    package let first: [MachineID]

    private static let drawCount = 1000

    /// `shares`: one at least. The same push gives the same plan. Of the first rollouts it takes
    /// one with a machine that reports in the first ring of each policy: nobody is no evidence.
    package init(_ shares: [Int], for push: PolicyPush, _ survey: Survey) {
        let changes = push.changes.filter(\.goesByRings)
        let audiences = changes.map { change in
            survey.machines.filter { survey.isFor($0, change.slot.audience) }
                .map { (id: $0.entry.machine, reports: $0.status != nil) }
        }
        let seed = changes.map {
            "\($0.slot) \($0.former?.serial ?? 0) \(hexadecimal(SHA256.digest(of: $0.content)))"
        }.joined(separator: "\n")
        let share = shares.first ?? 100
        let isTried = audiences.map { $0.contains(where: \.reports) }
        let candidates = (0..<Self.drawCount).lazy.map { number in
            Ring(Bytes16(ofKey: Array("\(number)\n\(seed)".utf8)), share: share)
        }
        let ring =
            candidates.first { ring in
                zip(audiences, isTried).allSatisfy { machines, isTried in
                    !isTried || machines.contains { $0.reports && ring.includes($0.id) }
                }
            } ?? candidates[0]
        (rollout, self.shares) = (ring.rollout, shares)
        let reached = Set(audiences.joined().map(\.id).filter(ring.includes))
        first = reached.sorted { $0.description < $1.description }
    }
}

/// One document of a change.
package struct RingStep: Sendable, Equatable {
    /// In percent; 100: all.
    package let share: Int
    package let ring: Ring?
    package let content: [UInt8]
}

extension PolicyChange {
    /// Whether a push by rings takes it in steps. What is only signed again is in force already.
    package var goesByRings: Bool {
        guard slot.kind == .policy else { return false }
        switch action {
        case .new, .changed, .withdrawn: return true
        case .renewed, .left: return false
        }
    }

    /// What is to be signed, the first for now. `waiting`: the shares of the steps that there are.
    /// A policy that is signed again stays where it is, unless its key was taken away: what it
    /// replaced is only that key's word then.
    package func steps(_ plan: RingPlan?, waiting: [Int]) -> [RingStep] {
        var (rollout, shares): (Bytes16, [Int]) = (.zero, [])
        if action == .renewed, let former, former.isValid, let ring = former.ring {
            (rollout, shares) = (ring.rollout, [ring.share] + waiting.sorted())
        } else if let plan, goesByRings {
            (rollout, shares) = (plan.rollout, plan.shares + [100])
        } else {
            shares = [100]
        }
        let former = former?.isValid == true ? former?.replaced ?? former?.content ?? [] : []
        let pair = PolicyPair(content, former: former).encoded()
        return shares.map { share in
            share == 100
                ? RingStep(share: 100, ring: nil, content: content)
                : RingStep(share: share, ring: Ring(rollout, share: share), content: pair)
        }
    }
}

extension Survey {
    /// Whether documents for an audience are for a machine, which was not revoked.
    func isFor(_ machine: SurveyedMachine, _ audience: Audience) -> Bool {
        let id = machine.entry.machine
        return !machine.isRevoked && audience.includes(id, in: wanted.groups(of: id))
    }
}
