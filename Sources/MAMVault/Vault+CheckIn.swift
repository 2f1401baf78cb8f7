// Check-ins: the policy source is read, after the administrator's program has agreed.

internal import Glibc
package import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

extension Vault {
    /// Tells how the policy source is read. The closure replaces the policies, hands over what
    /// orders to wipe it found, and says what came of it.
    package func readPolicies(with source: @escaping @Sendable () -> CheckInOutcome) {
        enrollments.source.withLock { $0 = source }
    }

    /// Asks the CheckIn hook, then reads the source; for all accounts.
    @discardableResult
    package func checkIn() -> CheckInOutcome {
        userIDs.forget()
        // Who does not read the policies has not checked in, as while a workspace is only verified.
        let outcome =
            askCheckInHook() ?? enrollments.source.withLock { $0 }?()
            ?? .failure("this daemon does not read the policies")
        finishCheckIn(outcome)
        return outcome
    }

    /// Reads the source for orders to wipe. The CheckIn hook was not asked, so this counts for
    /// nothing else.
    func lookForOrders() {
        _ = enrollments.source.withLock { $0 }?()
        settleAll()
    }

    /// The source was read because it changed. Where a program has a say in what counts as a
    /// check-in it is asked about what is new; the rest counts for nothing.
    package func checkedIn(_ outcome: CheckInOutcome, isNews: Bool) {
        defer { if isNews { enrollKnownAccountsSoon() } }
        guard settings.hooks.checkIn != nil, outcome.isSuccess else {
            return finishCheckIn(outcome)
        }
        if isNews { checkIn() } else { settleAll() }
    }

    /// Nil if it agrees, or there is none.
    private func askCheckInHook() -> CheckInOutcome? {
        let names = accounts.map { JSONValue.string($0.identity.description) }
        switch enrollments.hooks.run(.checkIn, ["accounts": .array(names)]) {
        case nil, .ended(.exited(0), _): return nil
        case .ended(.exited(Hooks.networkFailure), _):
            return .networkFailure("the CheckIn hook says that the network is down")
        case .some(.timedOut): return .timedOut("the CheckIn hook timed out")
        case .some(let result): return .failure("the CheckIn hook \(result.description)")
        }
    }

    private func finishCheckIn(_ outcome: CheckInOutcome) {
        if let reason = outcome.reason { log.warning("check-in: \(reason)") }
        for account in keyring.accounts where isRegistered(account) {
            let mark = policy(of: account).mark
            happen(.checkIn(outcome, mark: mark), to: account, as: .policy)
            announce(.checkedIn(failure: outcome.reason), account)
            if outcome.isSuccess { checkLaunch(account) }
        }
    }
}
