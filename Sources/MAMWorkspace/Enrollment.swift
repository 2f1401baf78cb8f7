// Handles enrolment events: blocks, wipes, notifications.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Carries out the consequences of an account's events.
package struct Enrollment: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Feeds an event to an account's enrolment, and carries out the resulting actions.
    ///
    /// Never call this from a thread that serves the mount, or while holding a lock.
    func happen(
        _ input: EnrollmentInput, to account: AccountID,
        as request: AccountEvent.Enrollment.Request, saving: Enrollments.Saving = .now
    ) {
        let facts = Accounts(vault).facts(of: account)
        let now = vault.clock.now
        let (actions, next) =
            vault.enrollments.change(account, saving: saving) {
                ($0.step(input, facts, at: now), $0.secondsToNext(facts))
            } ?? ([], nil)
        settle(account)
        for action in actions { carryOut(action, account, request) }
        if let next { vault.enrollments.dueActions.ring(within: next) }
        IdleLocks(tree).expectIdle(facts)
    }

    private func carryOut(
        _ action: EnrollmentAction, _ account: AccountID, _ request: AccountEvent.Enrollment.Request
    ) {
        switch action {
        case .checkIn: break
        case .report(let code, let reason): tell(code, reason, account, request)
        case .warn(let finding): warn(finding, account)
        case .restart: askToRestart(account)
        case .wipe(let reason): wipe(account, ordered: reason)
        }
    }

    /// `last`: the last status of an account that no longer exists.
    func tell(
        _ code: StatusCode, _ reason: String?, _ account: AccountID,
        _ request: AccountEvent.Enrollment.Request, last: AccountStatus? = nil
    ) {
        let status = EnrollmentStatus(last?.identity ?? vault.identity(of: account), code, reason)
        vault.announce(
            .enrollment(
                .init(
                    request, succeeded: code.didSucceed, code: code.rawValue,
                    reason: status.errorString)), account, last: last)
        if let error = status.errorString { vault.log.warning("\(status.identity): \(error)") }
        guard code != .policyUnchanged else { return }
        vault.enrollments.hooks.tell(
            .enrollment, ["request": .string(request.rawValue), "status": status.json])
    }

    private func warn(_ finding: LaunchFinding, _ account: AccountID) {
        vault.log.warning(
            "\(vault.identity(of: account)): \(finding.reason.english) (\(finding.rule))")
        vault.announce(.launchWarning(finding.reason), account)
    }

    private func askToRestart(_ account: AccountID) {
        vault.announce(.restartRequired, account)
        let status = EnrollmentStatus(vault.identity(of: account), .newPolicy)
        vault.enrollments.hooks.tell(.restart, ["status": status.json])
    }

    /// A wipe without a waiting caller. Where files cannot be removed, the keys must not be
    /// destroyed first.
    private func wipe(_ account: AccountID, ordered reason: WipeReason) {
        guard vault.isEnrolling, !tree.isReadOnly else {
            let text: Message =
                "\(Message(known: reason.text)); it is to be wiped, and nothing can be removed now"
            vault.log.error("\(vault.identity(of: account)): \(text.english)")
            Block(tree).block(account, AccountBlock(.lockedOut, text))
            return
        }
        do throws(KeyringError) { _ = try Wipe(tree).wipe(account, because: reason) } catch {
            vault.log.error("\(vault.identity(of: account)) could not be wiped: \(error)")
        }
    }

    /// Applies the block that now holds, or ends it if none does.
    func settle(_ account: AccountID) {
        vault.enrollments.blocks.settling(account) {
            guard let record = vault.enrollments.record(of: account),
                vault.windows[account] != nil
            else {
                return
            }
            let name = vault.identity(of: account).description
            let now = vault.block(of: account)
            if let block = record.block(Accounts(vault).facts(of: account), name: name) {
                if block != now { Block(tree).block(account, block) }
                return
            }
            guard let now, !now.endsWithUnlock else { return }
            do throws(KeyringError) { try Block(tree).unblock(account) } catch {
                vault.log.error("\(name): \(error)")
            }
        }
    }

    /// After a change of policies, and at a start before anything is served.
    package func settleAll() {
        // In parallel: a lock that hangs must not delay another account's.
        _ = sideBySide(vault.keyring.accounts, named: "settle") { settle($0) }
        vault.enrollments.wakeTimers()
    }

    /// At a clean shutdown: saves counts that were not worth a write before.
    package func saveEnrollments() {
        for account in vault.keyring.accounts {
            let facts = Accounts(vault).facts(of: account)
            let now = vault.clock.now
            _ = vault.enrollments.change(account, saving: .later) {
                $0.step(.time, facts, at: now)
            }
        }
        vault.enrollments.saveAll()
    }
}
