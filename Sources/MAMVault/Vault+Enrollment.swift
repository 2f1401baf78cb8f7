// What happens to an account's enrolment, and what follows from it: blocks, wipes, news.

package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSystem
internal import Synchronization

/// An account's enrolment as the edges see it.
package struct EnrollmentReport: Sendable {
    package let stage: EnrollmentRecord.Stage
    package let status: EnrollmentStatus
    package let secondsSinceCheckIn: Int64
    /// Conditions that are not met, those that only warn too.
    package let findings: [LaunchFinding]
}

extension Vault {
    package func enrollment(of account: AccountID) -> EnrollmentReport? {
        currentRecord(of: account).map { record in
            EnrollmentReport(
                stage: record.stage,
                status: EnrollmentStatus(identity(of: account), record.code),
                secondsSinceCheckIn: record.sinceCheckIn, findings: record.launch.findings)
        }
    }

    /// False for an account that is not here, or was deregistered with its keys kept.
    package func isRegistered(_ account: AccountID) -> Bool {
        enrollments.record(of: account).map { $0.stage != .signedOut } ?? false
    }

    package func isRegistered(_ identity: Identity) -> Bool {
        account(of: identity).map { isRegistered($0) } ?? false
    }

    /// The account that is the default owner of what a user creates.
    func defaultAccount(ofUser user: UInt32) -> AccountID? {
        keyring.accounts.first { keyring.uid(of: $0) == user && isRegistered($0) }
    }

    /// What `AllowedAccounts` says of an identity; without it anybody is allowed.
    package func isAllowed(_ identity: Identity) -> Bool {
        accountRules.allowed.map { $0.contains { identity.matches($0) } } ?? true
    }

    /// Who may have accounts here; changes with the settings.
    package var accountRules: AccountRules { currentAccountRules.withLock { $0 } }

    /// False if they were the same. Accounts that are not allowed any more are blocked by the
    /// check-in, or the look at them, that comes next.
    package func replaceAccountRules(_ new: AccountRules) -> Bool {
        let old = currentAccountRules.withLock { current in
            defer { current = new }
            return current
        }
        guard new != old else { return false }
        userIDs.forget()
        if new.allowed != old.allowed { announce(.allowedAccountsChanged) }
        return true
    }

    func facts(of account: AccountID) -> EnrollmentFacts {
        let identity = identity(of: account)
        return EnrollmentFacts(
            policy: policy(of: account), isCovered: policies.covers(identity),
            isPolicyThere: !policies.documents.isEmpty,
            objection: objection(to: identity, of: keyring.uid(of: account) ?? 0),
            hasPassphrase: keyring.hasPassphrase(account), settings: settings)
    }

    /// Lets something happen to an account, and does what follows.
    ///
    /// Never call this from a thread that serves the mount, or while holding a lock.
    func happen(
        _ input: EnrollmentInput, to account: AccountID, as request: AccountEvent.Enrollment.Request
    ) {
        let facts = facts(of: account)
        let now = clock.now
        let actions = enrollments.change(account) { $0.step(input, facts, at: now) }
        settle(account)
        for action in actions ?? [] { carryOut(action, account, request) }
        enrollments.wakeTimers()
    }

    private func carryOut(
        _ action: EnrollmentAction, _ account: AccountID, _ request: AccountEvent.Enrollment.Request
    ) {
        switch action {
        case .checkIn: break
        case .report(let code, let reason): tell(code, reason, account, request)
        case .restart: askToRestart(account)
        case .wipe(let reason): wipe(account, ordered: reason)
        }
    }

    /// `last`: as it was, of an account that is not here any more.
    func tell(
        _ code: StatusCode, _ reason: String?, _ account: AccountID,
        _ request: AccountEvent.Enrollment.Request, last: AccountStatus? = nil
    ) {
        let status = EnrollmentStatus(last?.identity ?? identity(of: account), code, reason)
        announce(
            .enrollment(
                .init(
                    request, succeeded: code.didSucceed, code: code.rawValue,
                    reason: status.errorString)), account, last: last)
        if let error = status.errorString { log.warning("\(status.identity): \(error)") }
        guard code != .policyUnchanged else { return }
        enrollments.hooks.tell(
            .enrollment, ["request": .string(request.rawValue), "status": status.json])
    }

    private func askToRestart(_ account: AccountID) {
        announce(.restartRequired, account)
        let status = EnrollmentStatus(identity(of: account), .newPolicy)
        enrollments.hooks.tell(.restart, ["status": status.json])
    }

    /// A wipe that nobody waits for. Where files cannot be removed the keys must not go before
    /// them.
    private func wipe(_ account: AccountID, ordered reason: WipeReason) {
        let removesNothing = enrollments.removesNothing.load(ordering: .sequentiallyConsistent)
        guard isEnrolling, !removesNothing, mount?.isReadOnly != true else {
            let text = "\(reason.text); it is to be wiped, and nothing can be removed now"
            log.error("\(identity(of: account)): \(text)")
            block(account, AccountBlock(.lockedOut, text))
            return
        }
        do throws(KeyringError) { _ = try wipe(account, because: reason) } catch {
            log.error("\(identity(of: account)) could not be wiped: \(error)")
        }
    }

    /// Puts in force what keeps the account closed now, or that nothing does.
    func settle(_ account: AccountID) {
        enrollments.settling.withLock(account) {
            guard let record = enrollments.record(of: account), windows(of: account) != nil else {
                return
            }
            let name = identity(of: account).description
            let now = block(of: account)
            if let block = record.block(facts(of: account), name: name) {
                if block != now { self.block(account, block) }
                return
            }
            guard let now, !now.endsWithUnlock else { return }
            do throws(KeyringError) { try unblock(account) } catch {
                log.error("\(name): \(error)")
            }
        }
    }

    /// After a change of the policies, and at a start before anything is served.
    package func settleAll() {
        // What holds one account's lock up holds no other's.
        _ = sideBySide(keyring.accounts, named: "settle") { self.settle($0) }
        enrollments.wakeTimers()
    }

    /// At a clean end: counts of time that were not worth a write before.
    package func saveEnrollments() {
        for account in keyring.accounts {
            let facts = facts(of: account)
            let now = clock.now
            _ = enrollments.change(account) { $0.step(.time, facts, at: now) }
        }
        enrollments.saveAll()
    }
}
