// Conditional launch: policy's conditions on the device, its programs and the account.

package import MAMCrypto
internal import MAMEnrollment
internal import MAMFleet
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Evaluates policy's conditions, and prepares an account for use.
package struct LaunchChecks: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Evaluates the conditions, and blocks, wipes or warns. Takes as long as the probes.
    ///
    /// Never call this from a thread that serves the mount, or while holding a lock.
    package func checkLaunch(_ account: AccountID, saving: Enrollments.Saving = .now) {
        guard vault.isEnrolling, vault.isRegistered(account) else { return }
        let check = vault.enrollments.numberLaunchCheck()
        let policy = vault.policy(of: account)
        let clockedOut = vault.enrollments.record(of: account)?.sinceClockedOut ?? 0
        let conditions = conditions(for: policy.rules, secondsClockedOut: clockedOut)
        let verdict = LaunchVerdict(
            policy.launchVerdict(conditions).findings + [uncovered(account)].compactMap(\.self))
        if let clock = conditions.clockStatus, vault.enrollments.note(clock, of: account) != clock {
            vault.announce(.userStatusChanged(clock.rawValue), account)
        }
        Enrollment(tree).happen(
            .launch(verdict, conditions.clockStatus, check: check), to: account, as: .policy,
            saving: saving)
    }

    /// In a workspace that has joined an organisation, an account without one of its policies is
    /// closed, and all are while a document is missing that was signed by a key that was taken away
    /// (it may be held back), or settings are not understood.
    private func uncovered(_ account: AccountID) -> LaunchFinding? {
        guard let standing = vault.fleet?.standing else { return nil }
        var reason: Message
        let asked = vault.rules.settingsInForce.asked
        let dropped = standing.droppedDocuments
        if !dropped.isEmpty {
            reason =
                "what must be signed anew, since its key was taken away:"
                + " \(MachineStanding.list(dropped))"
        } else if let flaw = asked.flaw {
            reason = Message(known: flaw)
        } else if !vault.policies.covers(vault.identity(of: account)) {
            reason = "no policy that \(standing.root.name) has signed covers it"
        } else {
            return nil
        }
        if let contact = asked.contact { reason = "\(reason); ask \(contact)" }
        return LaunchFinding(
            action: .block, subject: .compliance, rule: "organization", reason: reason)
    }

    /// The findings of these documents alone. Takes as long as the probes.
    package func launchFindings(under documents: [PolicyDocument]) -> [LaunchFinding] {
        let policy = EffectivePolicy.merge(documents)
        return policy.launchVerdict(conditions(for: policy.rules)).findings
    }

    /// The accounts that nothing closes now, and these policies would, by conditions or for want of
    /// a passphrase. Takes as long as the probes.
    package func closures(
        under book: PolicyBook
    ) -> [(account: Identity, block: AccountBlock)] {
        guard vault.isEnrolling else { return [] }
        return vault.keyring.accounts.compactMap { account in
            let identity = vault.identity(of: account)
            guard vault.block(of: account) == nil, vault.isRegistered(account),
                var record = vault.enrollments.record(of: account)
            else { return nil }
            let rules = book.policy(for: identity)
            record.launch = rules.launchVerdict(
                conditions(for: rules.rules, secondsClockedOut: record.sinceClockedOut ?? 0))
            let facts = Accounts(vault).facts(of: account, under: book)
            return record.block(facts, name: identity.description).map { (identity, $0) }
        }
    }

    private func conditions(
        for rules: PolicyRules, secondsClockedOut: Int64 = 0
    ) -> LaunchConditions {
        var conditions = vault.enrollments.probes.conditions(
            for: rules, stated: vault.enrollments.statedThreat)
        if rules.maximumAllowedDeviceThreatLevel != nil {
            vault.enrollments.noteThreat(conditions.threatLevel)
        }
        // From the record, whose count is independent of the clock.
        (conditions.clockedOutSince, conditions.now) = (0, secondsClockedOut)
        return conditions
    }

    package func checkLaunchOfAll() {
        vault.askProbes()
        for account in vault.keyring.accounts { checkLaunch(account, saving: .later) }
        vault.enrollments.saveChanged()
    }

    /// One value for all accounts of the machine, from one probe.
    package var userStatus: ClockStatus { vault.enrollments.probes.clockStatus }

    /// `IntuneMAMComplianceStatus`.
    package enum Compliance: Int, Sendable, CaseIterable {
        case compliant, notCompliant, serviceFailure, networkFailure, interactionRequired
        case userCanceled
    }

    /// Tries to make the account compliant: checks in, and evaluates the conditions.
    package func remediate(_ account: AccountID) -> (Compliance, reason: String?) {
        let outcome = CheckIn(tree).checkIn()
        let result: (Compliance, reason: String?)
        switch outcome {
        case .networkFailure(let reason): result = (.networkFailure, reason)
        case .failure(let reason), .unreadable(let reason), .notUnderstood(let reason),
            .timedOut(let reason):
            result = (.serviceFailure, reason)
        case .ok, .unchanged: result = compliance(of: account)
        }
        vault.announce(.complianceChecked(result.0.rawValue), account)
        return result
    }

    private func compliance(of account: AccountID) -> (Compliance, reason: String?) {
        if let block = vault.block(of: account) {
            let isForPerson = ![.launch, .clockedOut].contains(block.kind)
            return (isForPerson ? .interactionRequired : .notCompliant, block.reason.english)
        }
        guard vault.policies.covers(vault.identity(of: account)) else {
            return (.notCompliant, "no policy covers it")
        }
        if let unmet = vault.unmetSetting {
            return (.notCompliant, "the organisation asks for a setting: \(unmet)")
        }
        return vault.enrollments.probes.isCompliant == false
            ? (.notCompliant, "the Compliance probe says so") : (.compliant, nil)
    }

    /// Whether nothing that policy demands keeps the account closed, as far as is known without
    /// asking the probes, and the machine does what its organisation asks of the settings.
    package func isCompliant(_ account: AccountID) -> Bool {
        vault.block(of: account)?.endsWithUnlock ?? true
            && vault.policies.covers(vault.identity(of: account)) && vault.unmetSetting == nil
    }

    /// Sets the threat level that counts where no probe reports one; nil: none.
    package func setThreatLevel(_ level: ThreatLevel?) {
        vault.enrollments.statedThreat = level
        vault.log.warning(
            "the device's threat level is \(level?.rawValue ?? "unknown") from now on")
        checkLaunchOfAll()
    }
}

/// The result of requesting an account.
package enum Launch: Sendable, Equatable {
    case ready
    /// The user did not give what was required.
    case canceled(String)
    case failed(String)
}

extension LaunchChecks {
    /// Checks policy's conditions for using an account, and unlocks it.
    package func prepareLaunch(_ account: AccountID, passphrase: SecretBytes?) -> Launch {
        checkLaunch(account)
        if let block = vault.block(of: account), !block.endsWithUnlock {
            return .failed(block.reason.english)
        }
        let isLocked = vault.windows[account]?.state != .unlocked
        if isLocked, passphrase == nil, vault.keyring.hasPassphrase(account) {
            return .canceled("the account is locked, and no passphrase was given")
        }
        guard isLocked || passphrase != nil else { return .ready }
        do throws(KeyringError) {
            try Unlock(tree).unlock(account, passphrase: passphrase)
            return .ready
        } catch { return .failed(error.description) }
    }
}
