// Check-ins: the policy source is read, after the administrator's program has agreed.

package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// Reads the policy source, once the administrator's program agrees.
package struct CheckIn: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Tells how the policy source is read. The closure replaces the policies, hands over what
    /// orders to wipe it found, and says what came of it.
    package func readPolicies(with source: @escaping @Sendable () -> CheckInOutcome) {
        vault.enrollments.source.withLock { $0 = source }
    }

    /// Asks the CheckIn hook, then reads the source; for all accounts.
    @discardableResult
    package func checkIn() -> CheckInOutcome {
        vault.userIDs.forget()
        // Who does not read the policies has not checked in, as while a workspace is only verified.
        let outcome =
            askCheckInHook() ?? vault.enrollments.source.withLock { $0 }?()
            ?? .failure("this daemon does not read the policies")
        finishCheckIn(outcome)
        return outcome
    }

    /// Reads the source for orders to wipe. The CheckIn hook was not asked, so this counts for
    /// nothing else.
    func lookForOrders() {
        _ = vault.enrollments.source.withLock { $0 }?()
        Enrollment(tree).settleAll()
    }

    /// The source was read because it changed. Where a program has a say in what counts as a
    /// check-in it is asked about what is new; the rest counts for nothing.
    package func checkedIn(_ outcome: CheckInOutcome, isNews: Bool) {
        defer { if isNews { AutoEnrollment(tree).enrollKnownAccountsSoon() } }
        guard vault.settings.hooks.checkIn != nil, outcome.isSuccess else {
            return finishCheckIn(outcome)
        }
        if isNews { checkIn() } else { Enrollment(tree).settleAll() }
    }

    /// Nil if it agrees, or there is none.
    private func askCheckInHook() -> CheckInOutcome? {
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
            Enrollment(tree).happen(.checkIn(outcome, mark: mark), to: account, as: .policy)
            vault.announce(.checkedIn(failure: outcome.reason), account)
            if outcome.isSuccess { LaunchChecks(tree).checkLaunch(account) }
        }
    }
}
