// A push by rings that has not reached all machines, and how those are that it has.

package import MAMFleet
package import MAMModel

package struct Rollout: Sendable {
    /// What some machines have by now, as it is in `signed/`.
    package let policies: [SignedPolicy]
    /// The documents of the next step, all of one share.
    package let next: [WaitingStep]
    /// When the present step was published, in seconds since 1970.
    package let since: Int64
    /// The machines that have the new policies by now, or will.
    package private(set) var ring: [MachineID] = []
    /// Those of them that have reported since with the new policies, and are well.
    package private(set) var answered: [MachineID] = []
    /// Machines that are worse than before.
    package private(set) var ill: [MachineID: [Reason]] = [:]

    /// Why a machine is worse than before.
    package enum Reason: Sendable, Hashable {
        /// It has not got the documents for an hour, or refuses them.
        case lacks
        case problem(String)
        /// Of accounts that were not blocked before, their names and what blocks them.
        case closed(String, String)
        case gone(Bytes16)
        case notCompliant(String)
    }

    /// Whether the next step may go out.
    package enum Verdict: String, Sendable {
        case well, waiting, ill
    }

    /// How long a document may be on its way.
    private static let travelSeconds: Int64 = 3600
    /// How far the clock of a machine may be ahead.
    private static let toleratedSeconds: Int64 = 3600

    /// In percent of the machines.
    package var share: Int { policies.compactMap(\.ring?.share).min() ?? 0 }
    /// The same, of the next step; 0: none waits.
    package var nextShare: Int { next.first?.share ?? 0 }

    /// Nil: none waits. Refuses steps that do not follow what is in `signed/`.
    init?(
        _ directory: OrganizationDirectory, root: Root, of organization: Bytes16,
        _ machines: [SurveyedMachine], _ wanted: Wanted
    ) throws(OrganizationDirectory.Failure) {
        let steps = try directory.waitingSteps()
        guard !steps.isEmpty else { return nil }
        let signed = Dictionary(
            try directory.signedPolicies(by: root, of: organization).map { ($0.file, $0) },
            uniquingKeysWith: { first, _ in first })
        // What a push that was interrupted has moved already is there twice.
        let open = steps.filter { $0.statement.serial > signed[$0.place]?.serial ?? 0 }
        guard let share = open.first?.share else { return nil }
        next = open.filter { $0.share == share }
        for step in open {
            do throws(Refusal) {
                try step.require(toFollow: signed[step.place], by: root, of: organization)
            } catch { throw directory.failure(step.file, error) }
        }
        policies = next.compactMap { signed[$0.place] }
        let record = try directory.rolloutRecord()
        since = record.since
        for machine in machines where !machine.isRevoked { judge(machine, wanted, record) }
    }

    private mutating func judge(
        _ machine: SurveyedMachine, _ wanted: Wanted, _ record: RolloutRecord
    ) {
        let (id, groups) = (machine.entry.machine, wanted.groups(of: machine.entry.machine))
        let own = policies.filter { $0.slot.audience.includes(id, in: groups) }
        guard !own.isEmpty else { return }
        let isInRing = own.contains { $0.ring?.includes(id) ?? false }
        if isInRing { ring.append(id) }
        guard let status = machine.status, let issued = machine.issued, issued > since else {
            return
        }
        let hasAll = own.allSatisfy { status.documents["\($0.slot)"] ?? 0 >= $0.serial }
        var reasons: [Reason] = []
        // One that was signed again meanwhile is on its way since then.
        let sent = max(since, own.map(\.issued).max() ?? 0)
        if !hasAll, issued > sent + Self.travelSeconds { reasons.append(.lacks) }
        if isInRing { reasons += Self.losses(status, record.machines[id]) }
        if !reasons.isEmpty {
            ill[id] = reasons
        } else if isInRing, hasAll, status.problem == nil {
            answered.append(id)
        }
    }

    /// What is worse than before; nothing of a machine that was not known then.
    private static func losses(
        _ status: MachineStatus, _ before: RolloutRecord.Before?
    ) -> [Reason] {
        guard let before else { return [] }
        var found: [Reason] = []
        if let problem = status.problem, before.checksIn { found.append(.problem(problem)) }
        for account in status.accounts {
            if before.open.contains(account.id), !account.isOpen {
                found.append(.closed(account.name, account.blockedBy ?? ""))
            } else if before.compliant.contains(account.id), !account.compliant {
                found.append(.notCompliant(account.name))
            }
        }
        // A machine with more accounts than it may report tells of some alone.
        if status.accounts.count < MachineStatus.maximumAccountCount {
            let gone = before.open.subtracting(status.accounts.map(\.id))
            found += gone.sorted { $0.description < $1.description }.map { .gone($0) }
        }
        return found
    }

    /// `seconds`: how long a step must have been out; `limit`: how many machines may be ill. A
    /// machine that is off is not ill, but half of the ring must have answered.
    package func verdict(
        at now: Int64, after seconds: Int64, tolerating limit: Int
    ) -> Verdict {
        if ill.count > limit { return .ill }
        let isOver = now - since >= seconds && since <= now + Self.toleratedSeconds
        return isOver && hasAnswered ? .well : .waiting
    }

    package var hasAnswered: Bool { !answered.isEmpty && answered.count * 2 >= ring.count }
}

extension WaitingStep {
    /// Nobody who writes this directory brings another document to machines than what a key has
    /// signed as the next of these.
    fileprivate func require(
        toFollow policy: SignedPolicy?, by root: Root, of organization: Bytes16
    ) throws(Refusal) {
        let document = try SignedDocument(envelope, by: root, of: organization)
        guard let policy, policy.isValid, policy.slot == slot, let ring = policy.ring,
            let replaced = policy.replaced
        else { throw .malformed("it does not follow \(place): push again, or remove it") }
        let expected = share == 100 ? nil : Ring(ring.rollout, share: share)
        let pair = share == 100 ? nil : PolicyPair(policy.content, former: replaced)
        guard statement.ring == expected, document.pair == pair,
            share == 100 ? document.content == policy.content : share > ring.share
        else { throw .malformed("it is not the next step of \(place): push again, or remove it") }
    }
}

extension OrganizationDirectory {
    /// Puts the next step in the place of the present one.
    package func advance(
        _ rollout: Rollout, _ survey: Survey, at now: Int64
    ) throws(Failure) {
        for step in rollout.next {
            guard step.statement.expires ?? .max > now else {
                throw failure(step.file, .expired(step.statement.expires ?? 0))
            }
        }
        // First, so that what an interrupted one leaves is no evidence for the next.
        try noteRollout(
            of: rollout.next.map { ($0.slot.audience, $0.statement.ring) }, survey, at: now)
        for step in rollout.next { try replace(signed: step.place, with: step.envelope.encoded()) }
        for step in rollout.next { try remove(step.file) }
    }
}
