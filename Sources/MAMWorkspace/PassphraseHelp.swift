// A new passphrase in place of a forgotten one, by an order of the organisation's:
// docs/adr/0098-a-reset-by-two-signatures.md.

internal import MAMAudit
package import MAMCrypto
package import MAMFleet
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Asks the organisation for help, and takes its answer.
package struct PassphraseHelp: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// A request that is open.
    package struct Request: Sendable {
        package let code: ResetCode
        /// The organisation's name.
        package let organization: String
        package let machine: MachineID
        /// In seconds since 1970.
        package let ends: Int64
        /// The order is here: see ``reset(_:to:user:)``.
        package let isAnswered: Bool
    }

    /// The account's open request, or a new one, durably. Refused where no answer could come.
    package func ask(for account: AccountID, user: UInt32) throws(KeyringError) -> Request {
        let identity = vault.identity(of: account)
        guard let standing = vault.fleet?.standing else {
            throw .refused(
                "this workspace has joined no organisation that could help",
                next: "mamctl account passphrase --export FILE")
        }
        guard !tree.isReadOnly else { throw .refused("the mount is read-only") }
        guard vault.keyring.hasPassphrase(account) else {
            throw .refused(
                "the account has no passphrase that could be forgotten",
                next: "mamctl account passphrase")
        }
        try Passphrases(tree).requireResettable(account)
        guard hasRecoveryRecord(account) else {
            throw .refused(
                "the organisation has no recovery record of the keys that \(identity) has now, and"
                    + " cannot help", next: "mamctl account passphrase --export FILE")
        }
        try tellNews(of: account, standing)
        let isNew = vault.keyring.resetRequest(of: account) == nil
        let stored = try vault.keyring.askForReset(account)
        let request = request(stored, of: account, standing)
        if isNew {
            let words = "uid \(user) asks \(standing.root.name) for a new passphrase"
            vault.audit(.resetAsked, account, "\(identity): \(words)") { $0.reason = words }
        }
        return request
    }

    /// Wraps the account's keys, which the order has brought, under a new passphrase. The request
    /// and its key are gone afterwards; a crash in between leaves nothing that counts again.
    package func reset(
        _ account: AccountID, to new: SecretBytes?, user: UInt32
    ) throws(KeyringError) {
        let again = "mamctl account passphrase --forgotten"
        guard let fleet = vault.fleet, let standing = fleet.standing,
            let request = vault.keyring.resetRequest(of: account)
        else {
            throw .refused(
                "nobody has asked the organisation for help, or not in time", next: again)
        }
        guard let (nonce, answer) = answer(to: request, of: account, standing),
            fleet.begin(nonce)
        else { throw .refused("the organisation has not answered yet", next: again) }
        var isDone = false
        defer { if !isDone { fleet.end(nonce, wasObeyed: false) } }
        let words = "order \(nonce) of \(standing.root.name)"
        let (export, opened) = try open(answer, request, words)
        try Passphrases(tree).resetPassphrase(
            of: account, with: export, opened, to: new, user: user, source: words)
        isDone = true
        end(account)
        vault.helpNews.tell(
            "the passphrase was reset already, by \(words): the one that was chosen then opens the"
                + " account. If that is forgotten, too, run this again", of: account)
        Orders(tree).finish(nonce, fleet)
    }

    /// What came of an earlier request is told once, before another is made.
    private func tellNews(
        of account: AccountID, _ standing: MachineStanding
    ) throws(KeyringError) {
        let news = vault.helpNews.take(of: account)
        let request = vault.keyring.resetRequest(of: account)
        let isAnswered = request.map { answer(to: $0, of: account, standing) != nil } ?? false
        if let news, !isAnswered { throw .refused(news) }
    }

    /// Destroys the account's request, if there is one: its passphrase is known.
    func end(_ account: AccountID) {
        _ = vault.helpNews.take(of: account)
        do throws(KeyringError) { try vault.keyring.endResetRequest(account) } catch {
            vault.log.error(
                "\(vault.identity(of: account)): its request for help stays in the state directory:"
                    + " \(error)")
        }
    }

    /// What a status tells.
    package func reported(_ account: AccountID) -> ResetRequest? {
        guard let request = vault.keyring.resetRequest(of: account),
            let keySet = vault.keyring.keySet(of: account)
        else { return nil }
        return ResetRequest(
            publicKey: request.publicKey.bytes, keySet: keySet, ends: request.ends)
    }

    /// Whether the order, which is pending, answers a request that is open.
    func isAwaited(_ order: Order, _ nonce: String, _ standing: MachineStanding) -> Bool {
        guard let id = order.account, let reset = order.reset,
            let request = vault.keyring.resetRequest(of: AccountID(id))
        else { return false }
        return reset.publicKey == request.publicKey.bytes
            && standing.obeyed[nonce] ?? 0 > standing.now(vault.clock.now.wallSeconds)
    }

    // MARK: Parts

    private func request(
        _ stored: StoredResetRequest, of account: AccountID, _ standing: MachineStanding
    ) -> Request {
        Request(
            code: ResetCode(
                stored.publicKey.bytes, of: account.bytes, on: standing.machine,
                in: standing.organization),
            organization: standing.root.name, machine: standing.machine, ends: stored.ends,
            isAnswered: answer(to: stored, of: account, standing) != nil)
    }

    private func answer(
        to request: StoredResetRequest, of account: AccountID, _ standing: MachineStanding
    ) -> (nonce: String, reset: Order.Reset)? {
        let found = standing.pending.filter { nonce, order in
            order.account == account.bytes && isAwaited(order, nonce, standing)
        }
        // Of two the machine takes either; the other is dropped then.
        guard let first = found.min(by: { $0.key < $1.key }), let reset = first.value.reset else {
            return nil
        }
        return (first.key, reset)
    }

    private func open(
        _ answer: Order.Reset, _ request: StoredResetRequest, _ words: String
    ) throws(KeyringError) -> (KeyExport, ExportedKeys) {
        do throws(KeyExportError) {
            let export = try KeyExport.decode(answer.record)
            return (export, try export.open(answering: request))
        } catch { throw .refused("the keys in \(words) do not open: \(error)") }
    }

    /// The office has what the machine has sent: records of the account as it is now.
    private func hasRecoveryRecord(_ account: AccountID) -> Bool {
        let recovery = vault.keyring.recovery
        let entries = try? recovery.records.withLock { records throws(Errno) in
            try records?.entries(of: account)
        }
        return entries?.contains { entry in
            entry.record.map { recovery.isCurrent($0, of: account) } ?? false
        } ?? false
    }
}

extension Orders {
    /// Whatever the order answered is over: it counts no more.
    func dropUnawaited(
        _ order: Order, _ words: String, _ nonce: String, _ fleet: Fleet,
        _ standing: MachineStanding
    ) {
        guard !PassphraseHelp(tree).isAwaited(order, nonce, standing), fleet.begin(nonce) else {
            return
        }
        tell("reset: nobody asks for it any more: \(words)")
        if let id = order.account.map(AccountID.init), vault.isRegistered(id) {
            vault.helpNews.tell(
                "\(words) came when the request that it answers was over, and its code counts no"
                    + " more. For a new code run this again", of: id)
        }
        fleet.endLate(nonce)
        done(nonce, fleet)
    }
}

extension Curve25519.PublicKey {
    fileprivate var bytes: [UInt8] { withBytes { Array($0) } }
}
