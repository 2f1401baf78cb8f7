// Check-ins: read the policy source after the administrator's hook has agreed.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Reads the policy source once the administrator's hook agrees.
package struct CheckIn: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Sets how to read the policy source. The closure replaces the policies, if the hook lets it,
    /// passes on wipe orders, and returns the outcome.
    package func readPolicies(with source: @escaping PolicySource) {
        vault.enrollments.policySource = source
    }

    /// Nil without a source, as in a daemon that only verifies.
    @discardableResult
    private func read(_ answer: HookAnswer) -> CheckInOutcome? {
        vault.enrollments.policySource?(answer)
    }

    /// Runs the CheckIn hook, then reads the source; for all accounts.
    @discardableResult
    package func checkIn() -> CheckInOutcome {
        vault.rules.userIDs.forget()
        let outcome =
            askCheckInHook() ?? read(.yes) ?? .failure("this daemon does not read the policies")
        finishCheckIn(outcome)
        // Documents that were held back may cover users who have no account yet.
        if outcome == .ok, tree.isServed { AutoEnrollment(tree).enrollKnownAccountsSoon() }
        return outcome
    }

    /// Reads the source for wipe orders. Does not count as a check-in, because the hook was not
    /// run.
    func lookForOrders() {
        read(.notAsked)
        Enrollment(tree).settleAll()
    }

    /// The source was read because it changed. If there is a CheckIn hook, it is run for news;
    /// anything else does not count as a check-in.
    @discardableResult
    package func checkedIn(_ outcome: CheckInOutcome, isNews: Bool) -> CheckInOutcome {
        defer { if isNews { AutoEnrollment(tree).enrollKnownAccountsSoon() } }
        if vault.rules.settings.hooks.checkIn != nil {
            if isNews { return checkIn() }
            if outcome.isSuccess {
                Enrollment(tree).settleAll()
                return outcome
            }
        }
        finishCheckIn(outcome)
        return outcome
    }

    /// Nil if it agrees, or there is none.
    private func askCheckInHook() -> CheckInOutcome? {
        guard vault.rules.settings.hooks.checkIn != nil else { return nil }
        read(.awaited)
        let refusal = answerOfCheckInHook()
        if refusal != nil { read(.no) }
        return refusal
    }

    private func answerOfCheckInHook() -> CheckInOutcome? {
        let names = Accounts(vault).all.map { JSONValue.string($0.identity.description) }
        switch vault.enrollments.hooks.run(.checkIn, ["accounts": .array(names)]) {
        case nil, .ended(.exited(0), _): return nil
        case .ended(.exited(Hooks.networkFailure), _):
            return .networkFailure("the CheckIn hook says that the network is down")
        case .some(.timedOut): return .timedOut("the CheckIn hook timed out")
        case .some(let result): return .failure("the CheckIn hook \(result.description)")
        }
    }

    private func finishCheckIn(_ outcome: CheckInOutcome) {
        if let reason = outcome.reason { vault.log.warning("check-in: \(reason)") }
        for account in vault.keyring.accounts where vault.isRegistered(account) {
            let mark = vault.policy(of: account).mark
            let isEnrolled = vault.enrollments.record(of: account)?.stage == .enrolled
            Enrollment(tree).happen(
                .checkIn(outcome, mark: mark), to: account,
                as: isEnrolled ? .policy : .enrollment, saving: .later)
            vault.announce(.checkedIn(failure: outcome.reason), account)
            if outcome.isSuccess { LaunchChecks(tree).checkLaunch(account, saving: .later) }
        }
        vault.enrollments.saveChanged()
    }
}
