// What a change of a push does to the accounts that machines have reported.

package import MAMFleet
package import MAMModel
package import MAMPolicy

/// An account of a machine, as the machine has reported it.
package struct ReportedAccount: Sendable, Hashable {
    package let machine: MachineID
    package let id: Bytes16
    package let name: String
}

/// An account that will be closed by what was not in force for it before, as far as it is known.
package struct ClosedAccount: Sendable, Hashable {
    package let account: ReportedAccount
    /// A clause.
    package let reason: String
}

/// What is known of one change before it is signed: docs/adr/0090-a-push-says-what-it-closes.md.
package struct PolicyPreview: Sendable {
    package let change: PolicyChange
    /// Nil for a policy.
    package let membership: MembershipChange?
    /// The policy; of a withdrawal the one that goes.
    package let documents: [PolicyDocument]
    /// The machines that get it.
    package private(set) var machines: [MachineID] = []
    /// Those of them whose accounts are not known: they have sent no report that counts.
    package private(set) var silent: [MachineID] = []
    /// The accounts for which it will be in force, or was; of a membership those for which other
    /// policies will be.
    package private(set) var covered: [ReportedAccount] = []
    package private(set) var closed: [ClosedAccount] = []
    /// Why it is in force for no account, by how many machines have that reason.
    package private(set) var obstacles: [String: Int] = [:]
    /// What it closes beside what its former version closed, by the version of the machine.
    fileprivate var effectsByVersion: [String: [PolicyEffect]] = [:]
    package let wipes: [WipingRule]
    package let findings: [LintFinding]
    /// Of the machines that it comes to; by how many of them.
    package private(set) var warnings: [String: Int] = [:]
    /// What it allows to be guessed; nil: nothing within a month.
    package let guessableSeconds: Int?
    /// In the whole register.
    fileprivate var accountCount = 0
    /// The version that it replaces, if machines have that.
    private let former: EffectivePolicy

    fileprivate init(_ change: PolicyChange) {
        self.change = change
        membership = MembershipChange(change)
        let isGoing = change.action == .withdrawn
        let last = change.former?.isValid == true ? change.former?.content ?? [] : []
        documents = policyDocuments(isGoing ? last : change.content, in: change.slot)
        former = .merge(policyDocuments(last, in: change.slot))
        let policy = EffectivePolicy.merge(isGoing ? [] : documents)
        wipes =
            isGoing
            ? []
            : EffectivePolicy.merge(
                policyDocuments(change.content, in: change.slot, mayWipe: true)
            ).wipingRules
        findings = isGoing || change.slot.kind != .policy ? [] : PolicyLint.check(change.content)
        let isAboutPins = policy.sources.contains { $0.rules.pinRequired != nil }
        guessableSeconds = isAboutPins ? policy.pin.guessableSeconds : nil
    }

    /// What it closes beside what its former version closed.
    package var effects: [PolicyEffect] {
        var found: [PolicyEffect] = []
        for effect in effectsByVersion.sorted(by: { $0.key < $1.key }).flatMap(\.value)
        where !found.contains(effect) {
            found.append(effect)
        }
        return found
    }

    /// It is, or was, in force for no account that is known.
    package var isForNobody: Bool {
        guard change.action != .withdrawn, change.slot.kind == .policy, covered.isEmpty else {
            return false
        }
        return documents.allSatisfy { !$0.isAssigned || $0.workspaces == [] }
            || (silent.isEmpty && accountCount > 0)
    }

    /// Whether it closes all for whom it is in force, as far as it is known. That a membership
    /// closes those who leave alone is what it is for.
    package var closesAll: Bool {
        let leaving = Set((membership?.leaving ?? []).map(\.caseFolded))
        guard covered.allSatisfy({ leaving.contains($0.name.caseFolded) }) else {
            return Set(closed.map(\.account)).count == covered.count
        }
        return !isForNobody && !silent.isEmpty && effects.contains(where: \.isForAll)
    }
}

extension PolicyPush {
    /// For each change of a policy or membership that machines will notice. `version`: the
    /// product's, where no machine has told its own.
    package func previews(
        since signed: [SignedPolicy], _ survey: Survey, version: String
    ) -> [PolicyPreview] {
        let changes = changes.filter { [.policy, .membership].contains($0.slot.kind) }
        let signed = signed.filter { $0.slot.kind == .policy }
        let books = MachineBooks(changes, signed, survey.wanted)
        let machines = survey.machines.filter { !$0.isRevoked }
        return changes.filter(\.isNoticed).map { change in
            var preview = PolicyPreview(change)
            for machine in machines {
                let id = machine.entry.machine
                preview.accountCount += machine.status?.accounts.count ?? 0
                guard change.slot.audience.includes(id, in: survey.wanted.groups(of: id)) else {
                    continue
                }
                preview.add(machine, books)
            }
            if preview.effectsByVersion.isEmpty { preview.note(version: version) }
            return preview
        }
    }
}

extension PolicyChange {
    /// Whether other rules are in force afterwards.
    package var isNoticed: Bool {
        switch action {
        case .new, .changed, .withdrawn: true
        case .renewed: former?.isValid == false
        case .left: false
        }
    }
}

extension PolicyPreview {
    fileprivate mutating func add(_ machine: SurveyedMachine, _ books: MachineBooks) {
        let id = machine.entry.machine
        machines.append(id)
        guard let status = machine.status else {
            silent.append(id)
            return
        }
        note(version: status.version)
        let pair = books.pair(for: id, status.workspace)
        let book = change.action == .withdrawn ? pair.before : pair.after
        let accounts = status.accounts.compactMap { account in
            (try? Identity(name: account.name, objectID: account.objectID)).map {
                (ReportedAccount(machine: id, id: account.id, name: account.name), $0)
            }
        }
        guard change.slot.kind == .policy else {
            addMoved(accounts, status, pair)
            return
        }
        let known = covered.count
        for (account, identity) in accounts
        where documents.contains(where: { book.isInForce($0, for: identity) }) {
            cover(account, identity, status, pair)
        }
        guard change.action != .withdrawn else { return }
        if covered.count == known, let document = documents.first,
            let why = book.coverage(of: document, among: accounts.map(\.1)).obstacle
        {
            obstacles[why, default: 0] += 1
        }
        for warning in Set(book.warnings(about: documents)) {
            // It will have more signatures: see ``wipes``.
            if case .closesOnly = warning { continue }
            warnings[warning.description, default: 0] += 1
        }
    }

    /// A membership changes no policy, but whom policies cover.
    private mutating func addMoved(
        _ accounts: [(ReportedAccount, Identity)], _ status: MachineStatus,
        _ pair: MachineBooks.Pair
    ) {
        for (account, identity) in accounts
        where pair.before.documents(for: identity) != pair.after.documents(for: identity) {
            cover(account, identity, status, pair)
        }
    }

    private mutating func cover(
        _ account: ReportedAccount, _ identity: Identity, _ status: MachineStatus,
        _ pair: MachineBooks.Pair
    ) {
        covered.append(account)
        closed += reasons(identity, status, pair).map {
            ClosedAccount(account: account, reason: $0)
        }
    }

    /// Whether what it does is told by its own rules.
    private var hasOwnRules: Bool { change.action != .withdrawn && change.slot.kind == .policy }

    fileprivate mutating func note(version: String) {
        guard effectsByVersion[version] == nil, hasOwnRules else { return }
        effectsByVersion[version] = EffectivePolicy.merge(documents).effects(
            since: former, version: version)
    }

    /// Why one account is closed by this change, among all.
    private func reasons(
        _ account: Identity, _ status: MachineStatus, _ books: MachineBooks.Pair
    ) -> [String] {
        guard books.after.covers(account) else {
            return books.before.covers(account) ? ["no policy covers it any more"] : []
        }
        let own = effectsByVersion[status.version] ?? []
        return books.effects(on: account, version: status.version).filter { effect in
            effect.isForAll
                && (!hasOwnRules || own.contains { $0.isLike(effect) })
        }.map { $0.reason(whereContained: status.contained) }
    }
}

extension PolicyEffect {
    /// The same, whichever of several rules has it.
    fileprivate func isLike(_ other: PolicyEffect) -> Bool {
        kind == other.kind && (kind == .containment || rule == other.rule)
    }

    fileprivate func reason(whereContained: Bool) -> String {
        guard kind == .containment else { return reason }
        return whereContained
            ? "\(reason) (\(rule))"
            : "its machine contains no programs, and its files open for contained ones alone"
                + " (\(rule)) unless the setting Containment is off there"
    }
}
