// Accounts over the socket: register, list, lock, unlock, change the passphrase, wipe.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    /// All accounts; those of other users by name and state only. What others do, and how well they
    /// are protected, is not the caller's to know.
    func accountReports(for peer: Peer, withOutlook: Bool = true) -> [AccountReport] {
        let counts = withOutlook ? Accounts(vault).openFileCounts : [:]
        return Accounts(vault).all.map { account in
            guard isControlled(account, by: peer) else {
                return AccountReport(account.withNameAndStateOnly)
            }
            guard withOutlook else { return AccountReport(account) }
            var outlook = Accounts(vault).outlook(of: account.id)
            outlook.openFiles = counts[account.id] ?? 0
            return AccountReport(account, outlook)
        }
    }

    func listAccounts(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ListAccounts.Reply {
        _ = try call.request(Wire.ListAccounts.self)
        return .init(accounts: accountReports(for: call.peer))
    }

    func registerAccount(_ call: VarlinkCall) throws(VarlinkError) -> Wire.RegisterAccount.Reply {
        let request: Wire.RegisterAccount = try call.request()
        let account: AccountID
        do throws(Refusal) {
            account = try newAccount(
                request.name, objectID: request.objectID, newKeys: request.newKeys, call)
        } catch {
            switch error {
            case .error(let error): throw error
            case .status(let status) where status.code == .alreadyEnrolled:
                throw .accountExists(status.identity.description)
            case .status(let status):
                throw .refused(
                    "\(status.errorString ?? status.code.meaning) (status \(status.code.rawValue))")
            }
        }
        return try report(of: account)
    }

    func changePassphrase(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ChangePassphrase.Reply {
        let request: Wire.ChangePassphrase = try call.request()
        let (account, name) = try account(request.account, call)
        let old = try call.secret("passphrase")
        let new = try call.newSecret("newPassphrase", orNone: "noPassphrase")
        try keyed(name) { () throws(KeyringError) in
            try Passphrases(tree).changePassphrase(of: account, from: old, to: new)
        }
        return try report(of: account)
    }

    func lock(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Lock.Reply {
        let request: Wire.Lock = try call.request()
        let accounts =
            request.account == nil
            ? controlled(by: call.peer).map(\.id) : [try account(request.account, call).id]
        let left = Lock(tree).lock(accounts, now: request.now ?? false)
        return .init(
            accounts: accountReports(for: call.peer, withOutlook: false),
            stragglers: left.map { .init($0) })
    }

    func unlock(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Unlock.Reply {
        let request: Wire.Unlock = try call.request()
        let (account, name) = try account(request.account, call)
        let slot = try request.slot.map(slotID)
        let passphrase = try call.openingSecret(isTyped: request.typed)
        try keyed(name) { () throws(KeyringError) in
            try Unlock(tree).unlock(account, passphrase: passphrase, slot: slot)
        }
        return try report(of: account)
    }

    /// Root is refused for other users' accounts too: only the person knows who sits there.
    func keepOpen(_ call: VarlinkCall) throws(VarlinkError) -> Wire.KeepOpen.Reply {
        let request: Wire.KeepOpen = try call.request()
        let (account, name) = try account(request.account, call)
        guard let user = vault.keyring.uid(of: account), user == call.peer.uid else {
            throw .refused("only the user of the account \(name) may keep it open")
        }
        let idle = try vaulted { () throws(VaultError) in try IdleLocks(tree).keepOpen(account) }
        return .init(idleSeconds: idle.map { Int($0.left) })
    }

    private func report(
        of account: AccountID
    ) throws(VarlinkError) -> Wire.RegisterAccount.Reply {
        guard let status = Accounts(vault).one(account) else {
            throw .unknownAccount(account.bytes.description)
        }
        return .init(account: AccountReport(status))
    }
}

extension AccountReport {
    /// `outlook`: nil for methods that do not return it.
    init(_ status: AccountStatus, _ outlook: AccountOutlook? = nil) {
        self.init(
            id: status.id.bytes.description, name: status.identity.name,
            objectID: status.identity.objectID, uid: Int(status.user),
            state: status.state, hasPassphrase: status.hasPassphrase,
            isDefault: status.isDefault, retryAfterSeconds: status.retryAfterSeconds,
            stage: status.enrollment.map { .init($0.stage) },
            statusCode: status.enrollment?.status.code.rawValue ?? 0,
            block: status.block?.kind,
            blockReason: status.block?.reason.english ?? "", blockWords: status.block?.reason.wire,
            isRecoverable: status.isRecoverable, guessableSeconds: status.guessableSeconds,
            openClasses: outlook?.openClasses, openFiles: outlook?.openFiles,
            containedPrograms: outlook?.containedPrograms,
            graceSeconds: outlook?.graceSeconds, idleSeconds: outlook?.idleSeconds,
            secondsSinceCheckIn: outlook?.sinceCheckIn,
            offlineBlockSeconds: outlook?.offlineBlockSeconds,
            offlineWipeSeconds: outlook?.offlineWipeSeconds, policies: outlook?.policies,
            lastTry: outlook?.lastTry)
    }
}

// Destroying an account over the socket.
extension WorkspaceInterface {
    func wipe(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Wipe.Reply {
        let request: Wire.Wipe = try call.request()
        guard let found = Wipe(tree).wipeable(named: request.account) else {
            throw .unknownAccount(request.account)
        }
        let name = found.identity.description
        guard isTrusted(call.peer) || found.user == call.peer.uid else {
            throw .refused("the account \(name) belongs to uid \(found.user)")
        }
        try requireWipeable(name, isConfirmed: request.confirmed)
        let outcome = try keyed(name) { () throws(KeyringError) in
            try Wipe(tree).wipe(
                found.account, because: WipeReason(.command, "uid \(call.peer.uid) asked for it"),
                progressed: reporter(call))
        }
        return .init(outcome)
    }

    /// With `more`, reports progress at most ten times a second, as long as the caller reads. The
    /// wipe goes on if the caller hangs up.
    private func reporter(_ call: VarlinkCall) -> (WipeProgress) -> Void {
        var next = Deadline(milliseconds: 100)
        var isHeard = call.wantsMore
        return { progress in
            guard isHeard, next.hasPassed, call.takesReplies else { return }
            next = Deadline(milliseconds: 100)
            let reply = Wire.Wipe.Reply(
                complete: false, files: progress.removed, scanned: progress.scanned, opened: 0,
                left: [], stragglers: [])
            // Never wait for the caller: other accounts' wipes wait for this one.
            do { try call.reply(reply) } catch { isHeard = false }
        }
    }
}
