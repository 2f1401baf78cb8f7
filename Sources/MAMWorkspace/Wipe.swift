// Wipes an account: the decision, its keys, the kernel's pages, its files, and its record.

internal import MAMAudit
package import MAMEnrollment
internal import MAMFormat
internal import MAMIdentity
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Destroys an account's keys, and then its files.
package struct Wipe: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Before the record of the wipe is removed. False if it could not be written.
    func noteDeparture(of identity: Identity) -> Bool {
        vault.enrollments.departed.note(
            vault.accountRules.groups.values.joined().filter { identity.matches($0) })
    }

    /// An account that can be wiped, or is being wiped: its id, name and registrant.
    package func wipeable(
        named text: String
    ) -> (account: AccountID, identity: Identity, user: UInt32)? {
        if let known = vault.account(named: text).flatMap({ Accounts(vault).one($0) }) {
            return (known.id, known.identity, known.user)
        }
        return vault.keyring.wipes.all.first {
            $0.identity.matches(text) || $0.account.bytes.description == text.lowercased()
        }.map { ($0.account, $0.identity, $0.uid) }
    }

    /// True if accounts cannot be wiped, because their files would stay.
    package var isReadOnly: Bool { !tree.isServed || tree.isReadOnly }

    /// Destroys the account's keys and removes its files. Once the keys are gone nothing brings it
    /// back; after a crash the next start completes the wipe.
    ///
    /// Never call this from a thread that serves the mount.
    package func wipe(
        _ account: AccountID, because reason: WipeReason,
        progressed: (WipeProgress) -> Void = { _ in }
    ) throws(KeyringError) -> WipeOutcome {
        let (wipe, blockingFiles, areKeysGone) = try vault.keyring.wipes.wiping(account) {
            () throws(KeyringError) in
            let (wipe, blockingFiles) = try closeForGood(account, reason)
            return (wipe, blockingFiles, destroy(.keys, of: wipe))
        }
        let isGoneElsewhere = tellHook(wipe, reason)
        let files: RemovedFiles? = vault.keyring.wipes.wiping(account) {
            guard isStillDecided(wipe) else { return .nothingLeft }
            // If the mount does not serve yet, the start continues the wipe.
            guard tree.isServed else { return nil }
            return finish(
                wipe, areKeysGone: areKeysGone, isGoneElsewhere, progressed: progressed)
        }
        return WipeOutcome(
            files: files ?? RemovedFiles(), isComplete: files?.isComplete ?? false,
            isGoneElsewhere: isGoneElsewhere, blockingFiles: Lock(tree).report(blockingFiles))
    }

    /// Holds no lock, because the hook may call this daemon. The wipe proceeds whatever the hook
    /// does. Returns its answer, by its exit status: whether what it keeps of the account elsewhere
    /// is gone. Nil: there is no hook.
    func tellHook(_ wipe: WipeIntent, _ reason: WipeReason) -> Bool? {
        let result = vault.enrollments.hooks.run(
            .wipe,
            [
                "identity": .string(wipe.identity.name),
                "accountId": .string(wipe.identity.objectID),
                "uid": JSONValue(wipe.uid), "trigger": .string(reason.trigger.rawValue),
                "reason": .string(reason.text),
            ])
        guard let result else { return nil }
        if case .ended(.exited(0), _) = result { return true }
        return false
    }

    /// False once another thread has completed this wipe. An account with the same keys or name,
    /// imported or registered since, must not be wiped.
    func isStillDecided(_ wipe: WipeIntent) -> Bool {
        vault.keyring.wipes.all.contains { $0.account == wipe.account }
    }

    /// Destroys the records about the account of one stage. Each is tried, whatever the others'
    /// results; false if something is left.
    func destroy(_ stage: AccountFile.WipeStage, of wipe: WipeIntent) -> Bool {
        AccountFile.Component.allCases.filter { $0.stage == stage }
            .map { destroy($0, of: wipe) }.allSatisfy(\.self)
    }

    func destroy(_ component: AccountFile.Component, of wipe: WipeIntent) -> Bool {
        switch component {
        case .recovery: RecoveryUpdates(vault).destroyRecoveryRecords(of: wipe.account)
        case .keyring: vault.keyring.wipes.destroyKeybag(of: wipe)
        case .enrollments: vault.enrollments.remove(wipe.account)
        case .classes: destroyClassRecord(of: wipe.account)
        case .wipes: vault.keyring.wipes.end(wipe)
        }
    }

    private func destroyClassRecord(of account: AccountID) -> Bool {
        do throws(Errno) {
            try vault.walks.classes?.remove(account)
            return true
        } catch {
            vault.log.warning("classes/\(account.bytes) could not be removed: \(error)")
            return false
        }
    }

    /// Decides the wipe; then erases the account's keys and its files' pages from memory. Returns
    /// the files that obstruct the latter.
    private func closeForGood(
        _ account: AccountID, _ reason: WipeReason
    ) throws(KeyringError) -> (WipeIntent, blockingFiles: [UInt64]) {
        try vault.windows.transition(of: account) { () throws(KeyringError) in
            let wipe = try vault.keyring.wipes.decide(of: account)
            vault.audit(
                .wipeDecided, wipe.identity, of: wipe.uid,
                "\(wipe.identity) is being wiped (\(reason.trigger.rawValue)): \(reason.text)"
            ) { record in
                record.operation = reason.trigger.rawValue
                record.reason = reason.text
            }
            // Before the keys are destroyed; but a disk that hangs must not save them.
            vault.sinks.trail.flush(by: Deadline(seconds: 1))
            let windows = vault.windows.remove(account)
            windows?.revoke()
            vault.keyring.wipes.eraseKeys(of: wipe)
            vault.windows.keyNews.tell()
            guard let windows else { return (wipe, []) }
            return (wipe, purge(wipe, windows))
        }
    }

    /// Data that the kernel has not sent yet is refused and lost, as intended.
    private func purge(_ wipe: WipeIntent, _ windows: AccountWindows) -> [UInt64] {
        let deadline = Deadline(seconds: vault.rules.settings.lockDeadlineSeconds)
        if !windows.drainAll(until: min(deadline, Deadline(seconds: 1))) {
            Lock(tree).reportLate("a request that the disk does not answer")
        }
        let all = windows.all
        let isAffected: @Sendable (VaultFile) -> Bool = { file in
            all.contains { $0 === file.window }
        }
        // After the account's keys, so that no file key can be unwrapped again.
        Lock(tree).revokeKeys(of: vault.openFiles.all.filter(isAffected), until: deadline.orSoon)
        guard tree.isServed else { return [] }
        return Purge(tree).purge(until: deadline.orSoon) { file in
            switch file {
            case .open(let file): isAffected(file)
            case .closed(let header): header?.sealing.map { wipe.covers($0.keyID) } ?? false
            }
        }
    }

    /// The repeatable part: files, records, and finally the decision. A copy of the keys that could
    /// not be destroyed does not keep the files.
    func finish(
        _ wipe: WipeIntent, areKeysGone: Bool, _ isGoneElsewhere: Bool?,
        progressed: (WipeProgress) -> Void = { _ in }
    ) -> RemovedFiles {
        var files = Removal(tree).removeFiles(where: { wipe.covers($0) }, progressed: progressed)
        files.isComplete =
            destroy(.files, of: wipe) && files.isComplete && areKeysGone
            && noteDeparture(of: wipe.identity)
        guard files.isComplete else {
            reportLeft(files, wipe)
            return files
        }
        guard destroy(.end, of: wipe) else {
            files.isComplete = false
            reportLeft(files, wipe)
            return files
        }
        vault.rules.forgetAccounts()
        vault.identities.forget(wipe.identity)
        vault.sessions.forget(wipe.identity)
        vault.announce(.wiped, wipe.account, last: AccountStatus(wipe))
        Enrollment(tree).tell(.unenrolled, nil, wipe.account, .unenroll, last: AccountStatus(wipe))
        let removed = "\(counted(files.count, "file")) \(files.count == 1 ? "was" : "were")"
        vault.audit(
            .wiped, wipe.identity, of: wipe.uid, "\(wipe.identity) is wiped: \(removed) removed"
        ) { record in
            let answer = isGoneElsewhere.map { $0 ? "; hook: done" : "; hook: not done" } ?? ""
            record.reason = "files removed: \(files.count)\(answer)"
        }
        return files
    }

    private func reportLeft(_ files: RemovedFiles, _ wipe: WipeIntent) {
        for path in files.left.prefix(20) {
            vault.log.error("a file of the wiped account \(wipe.identity) is left: \(path.shown)")
        }
        Enrollment(tree).tell(
            .dataNotCleared, nil, wipe.account, .unenroll, last: AccountStatus(wipe))
        vault.audit(
            .wipeIncomplete, wipe.identity, of: wipe.uid,
            "the wipe of \(wipe.identity) is not complete: it goes on at the next start, or with"
                + " mamctl wipe"
        ) { $0.reason = "files left: \(files.leftCount)" }
    }
}
