// Destroying an account: first its keys, then its files (docs/ARCHITECTURE.md).

internal import Glibc
internal import MAMAudit
package import MAMEnrollment
package import MAMFormat
internal import MAMIdentity
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

/// What came of a wipe.
package struct WipeOutcome: Sendable {
    package let files: RemovedFiles
    /// False if something is left: the wipe goes on at the next start, or when it is asked for
    /// again.
    package let isComplete: Bool
    /// Files that something was in the middle of using at the deadline: what the kernel has of them
    /// goes when it leaves.
    package let stragglers: [Straggler]
}

extension Vault {
    /// An account that can be wiped, or whose wipe was begun: its id, name and registrant.
    package func wipeable(
        named text: String
    ) -> (account: AccountID, identity: Identity, user: UInt32)? {
        if let known = accounts.first(where: { $0.id == account(named: text) }) {
            return (known.id, known.identity, known.user)
        }
        return keyring.wipes.all.first {
            $0.identity.matches(text) || $0.account.bytes.description == text.lowercased()
        }.map { ($0.account, $0.identity, $0.uid) }
    }

    /// True if no account can be wiped: its files would stay.
    package var isReadOnly: Bool { mount?.isReadOnly ?? true }

    /// Destroys the account's keys, and removes its files. Once the keys are gone nothing brings it
    /// back, and what is left at a crash is done at the next start.
    ///
    /// Never call this from a thread that serves the mount.
    package func wipe(
        _ account: AccountID, because reason: WipeReason,
        progressed: (WipeProgress) -> Void = { _ in }
    ) throws(KeyringError) -> WipeOutcome {
        let (wipe, stragglers, areKeysGone) = try wiping.withLock(account) {
            () throws(KeyringError) in
            let (wipe, stragglers) = try closeForGood(account, reason)
            return (wipe, stragglers, destroy(.keys, of: wipe))
        }
        tellHook(wipe, reason)
        let files = wiping.withLock(account) {
            isStillDecided(wipe)
                ? finish(wipe, areKeysGone: areKeysGone, progressed: progressed) : .nothingLeft
        }
        return WipeOutcome(
            files: files ?? RemovedFiles(), isComplete: files?.isComplete ?? false,
            stragglers: report(stragglers))
    }

    /// With nothing locked: it may ask this daemon something. Whatever it does, the wipe goes on.
    private func tellHook(_ wipe: WipeIntent, _ reason: WipeReason) {
        enrollments.hooks.run(
            .wipe,
            [
                "identity": .string(wipe.identity.name),
                "accountId": .string(wipe.identity.objectID),
                "uid": JSONValue(wipe.uid), "trigger": .string(reason.trigger.rawValue),
                "reason": .string(reason.text),
            ])
    }

    /// Carries on with what a crash or a failure has interrupted. The keyring has destroyed the
    /// keys when it started, and opens no file of theirs meanwhile; the mount may serve.
    package func resumeWipes(in mount: any VaultMount) {
        for wipe in keyring.wipes.all { _ = resume(wipe, in: mount) }
    }

    /// False if something is left.
    func resume(_ wipe: WipeIntent, in mount: any VaultMount) -> Bool {
        let areKeysGone = wiping.withLock(wipe.account) {
            isStillDecided(wipe) ? destroy(.keys, of: wipe) : nil
        }
        guard let areKeysGone else { return true }
        // Again: it may have been told, or not.
        tellHook(wipe, WipeReason(.resumed, "an earlier wipe was interrupted"))
        return wiping.withLock(wipe.account) {
            guard isStillDecided(wipe) else { return true }
            return finish(wipe, areKeysGone: areKeysGone, in: mount)?.isComplete ?? false
        }
    }

    /// False once another thread has come to the end of the same one. What has the account's keys
    /// or its name from then on, after an import or a new registration, is not to be wiped.
    private func isStillDecided(_ wipe: WipeIntent) -> Bool {
        keyring.wipes.all.contains { $0.account == wipe.account }
    }

    /// What is kept of the account besides its files. Each is tried, whatever becomes of the
    /// others; false if something is left.
    private func destroy(_ stage: AccountFile.WipeStage, of wipe: WipeIntent) -> Bool {
        AccountFile.Keeper.allCases.filter { $0.stage == stage }
            .map { destroy($0, of: wipe) }.allSatisfy(\.self)
    }

    private func destroy(_ kept: AccountFile.Keeper, of wipe: WipeIntent) -> Bool {
        switch kept {
        case .recovery: destroyRecoveryRecords(of: wipe.account)
        case .keyring: keyring.wipes.destroyKeybag(of: wipe)
        case .enrollments: enrollments.remove(wipe.account)
        case .classes: destroyClassRecord(of: wipe.account)
        case .wipes: keyring.wipes.end(wipe)
        }
    }

    private func destroyClassRecord(of account: AccountID) -> Bool {
        do throws(Errno) {
            try classRecords?.remove(account)
            return true
        } catch {
            log.warning("classes/\(account.bytes) could not be removed: \(error)")
            return false
        }
    }

    /// The decision; then no key of the account, and no page of its files, is left in memory.
    /// Returns what is in the way of the latter.
    private func closeForGood(
        _ account: AccountID, _ reason: WipeReason
    ) throws(KeyringError) -> (WipeIntent, stragglers: [UInt64]) {
        try transitions.withLock(account) { () throws(KeyringError) in
            let wipe = try keyring.wipes.decide(of: account)
            audit(
                .wipeDecided, wipe.identity, of: wipe.uid,
                "\(wipe.identity) is being wiped (\(reason.trigger.rawValue)): \(reason.text)"
            ) { record in
                record.operation = reason.trigger.rawValue
                record.reason = reason.text
            }
            // Before the keys are gone; but no disk keeps them.
            trail.flush(by: Deadline(seconds: 1))
            let windows = windows.withLock { $0.removeValue(forKey: account) }
            windows?.revoke()
            keyring.wipes.eraseKeys(of: wipe)
            keyNews.tell()
            guard let windows else { return (wipe, []) }
            return (wipe, purge(wipe, windows))
        }
    }

    /// What the kernel has not sent yet is refused and lost: it was to be destroyed.
    private func purge(_ wipe: WipeIntent, _ windows: AccountWindows) -> [UInt64] {
        let deadline = Deadline(seconds: settings.lockDeadlineSeconds)
        if !windows.drainAll(until: min(deadline, Deadline(seconds: 1))) {
            reportLate("a request that the disk does not answer")
        }
        let all = windows.all
        let isAffected: @Sendable (VaultFile) -> Bool = { file in
            all.contains { $0 === file.window }
        }
        // The keys went before: none is fetched anew.
        revokeKeys(of: openFiles.all.filter(isAffected), until: deadline.orSoon)
        return mount?.purge(until: deadline.orSoon) { file in
            switch file {
            case .open(let file): isAffected(file)
            case .closed(let header): header?.sealing.map { wipe.covers($0.keyID) } ?? false
            }
        } ?? []
    }

    /// True while an account is being wiped, or one could not be wiped to the end.
    package var isWiping: Bool { !keyring.wipes.isEmpty }

    /// True for a file that a wipe is about to remove.
    package func isBeingWiped(_ file: OwnedHeader) -> Bool {
        keyring.wipes.all.contains { $0.covers(file) }
    }

    /// True if no account here has the key of a file with this header.
    package func isKeyGone(_ header: FileHeader?) -> Bool {
        header?.sealing.map { keyring.account(ofKey: $0.keyID) == nil } ?? false
    }

    /// All that can be done again and again: files, records, and at last the decision. Nil without
    /// a mount. One copy of the keys that could not be destroyed keeps no file.
    private func finish(
        _ wipe: WipeIntent, areKeysGone: Bool, in mount: (any VaultMount)? = nil,
        progressed: (WipeProgress) -> Void = { _ in }
    ) -> RemovedFiles? {
        guard let mount = mount ?? self.mount else { return nil }
        var files = mount.removeFiles(where: { wipe.covers($0) }, progressed: progressed)
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
        forgetPolicies()
        identities.forget(wipe.identity)
        sessions.forget(wipe.identity)
        announce(.wiped, wipe.account, last: AccountStatus(wipe))
        tell(.unenrolled, nil, wipe.account, .unenroll, last: AccountStatus(wipe))
        audit(
            .wiped, wipe.identity, of: wipe.uid,
            "\(wipe.identity) is wiped: \(files.count) files were removed"
        ) { $0.reason = "files removed: \(files.count)" }
        return files
    }

    private func reportLeft(_ files: RemovedFiles, _ wipe: WipeIntent) {
        for path in files.left.prefix(20) {
            log.error("a file of the wiped account \(wipe.identity) is left: \(path.shown)")
        }
        tell(.dataNotCleared, nil, wipe.account, .unenroll, last: AccountStatus(wipe))
        audit(
            .wipeIncomplete, wipe.identity, of: wipe.uid,
            "the wipe of \(wipe.identity) is not complete: it goes on at the next start, or with"
                + " mamctl wipe"
        ) { $0.reason = "files left: \(files.leftCount)" }
    }
}

extension AccountStatus {
    /// Of an account that is not here any more.
    fileprivate init(_ wipe: WipeIntent) {
        self.init(
            id: wipe.account, identity: wipe.identity, user: wipe.uid, state: .locked,
            hasPassphrase: false, isDefault: false, retryAfterSeconds: 0)
    }
}

extension WipeIntent {
    /// By its key; a file from before the account has none, and goes by its owner's name. Both
    /// can be written into a header, or claimed, by others: where several users have files, one
    /// that is another's on the disk is not the account's.
    fileprivate func covers(_ file: OwnedHeader) -> Bool {
        if let sealing = file.header.sealing {
            return covers(sealing.keyID) && (isRegistrants(file) || uid == 0 || file.user == 0)
        }
        return identity.matches(file.header.owner) && isRegistrants(file)
    }

    /// A user's own daemon has one user.
    private func isRegistrants(_ file: OwnedHeader) -> Bool { file.user == uid || geteuid() != 0 }
}
