// The account that a call is about.

internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire

extension VaultService {
    func controlled(by peer: Peer) -> [AccountStatus] {
        Accounts(vault).all.filter { isControlled($0, by: peer) }
    }

    func isControlled(_ account: AccountStatus, by peer: Peer) -> Bool {
        isTrusted(peer) || account.user == peer.uid
    }

    /// The account that a call names, by default the caller's only one. Refused if the caller does
    /// not control it.
    func account(
        _ named: String?, _ call: VarlinkCall
    ) throws(VarlinkError) -> (id: AccountID, name: String) {
        guard let named else {
            let own = controlled(by: call.peer)
            guard let only = own.first, own.count == 1 else {
                throw .invalidInput(
                    own.isEmpty
                        ? "no account of yours is registered here" : "name one of the accounts")
            }
            return (only.id, only.identity.description)
        }
        guard let account = vault.account(named: named) else {
            throw .unknownAccount(named)
        }
        try requireControl(call, of: vault.identity(of: account))
        return (account, vault.identity(of: account).description)
    }

    /// The identity of a name or an account's object id; nil for nil. `parameter`: its name in the
    /// call.
    func identity(_ name: String?, in parameter: String) throws(VarlinkError) -> Identity? {
        guard let name else { return nil }
        do throws(Identity.Invalid) { return try Identity(name: name) } catch {
            throw .invalidInput("\(parameter) is too long, or has control characters")
        }
    }

    /// Refused if the caller does not control each of them.
    func identities(
        _ names: [String], in parameter: String, _ call: VarlinkCall
    ) throws(VarlinkError) -> [Identity] {
        try requireFew(names, in: parameter)
        var found: [Identity] = []
        for name in names {
            guard let identity = try? Identity(name: name) else {
                throw .invalidParameter(parameter)
            }
            try requireControl(call, of: identity)
            found.append(identity)
        }
        return found
    }

    /// Limits a list of accounts or programs: each member costs a decision and space in the reply.
    func requireFew(_ names: [String], in parameter: String) throws(VarlinkError) {
        guard names.count <= 1000 else {
            throw .invalidInput("\(parameter) has more than 1000 members")
        }
    }

    /// What the last wrong passphrase has led to.
    private func consequence(for account: AccountID, _ name: String) -> GuessConsequence? {
        guard vault.account(named: name) != nil else { return .wiped }
        return vault.block(of: account)?.kind == .lockedOut ? .lockedOut : nil
    }

    /// Runs a keyring call whose failure becomes the caller's error.
    func keyed<Value>(
        _ name: String, _ body: () throws(KeyringError) -> Value
    ) throws(VarlinkError) -> Value {
        let known = vault.account(named: name)
        do throws(KeyringError) { return try body() } catch {
            switch error {
            case .wrongPassphrase(let seconds):
                throw .wrongPassphrase(
                    name, retryAfterSeconds: Int(seconds),
                    outlook: known.flatMap { Accounts(vault).outlookOnGuesses($0) },
                    consequence: known.flatMap { consequence(for: $0, name) })
            case .retryLater(let seconds), .attemptsDamaged(let seconds):
                throw .notTried(
                    name, retryAfterSeconds: Int(seconds), because: "\(error)")
            case .accountExists: throw .accountExists(name)
            case .refused(let reason, let next, let cause):
                throw .refused(reason, next: next, cause: cause)
            case .beingWiped, .lockedMeanwhile, .attemptsNewer, .leftNewer:
                throw .refused("\(name): \(error)")
            case .unknownAccount: throw .unknownAccount(name)
            case .blocked(let block): throw .blocked(name, block)
            case .windowClosed: throw .windowClosed(name)
            case .storage(let code): throw .systemError(code, "the state directory")
            case .passphraseRequired: throw .wrongPassphrase(name, retryAfterSeconds: 0)
            default: throw .invalidInput("\(name): \(error)")
            }
        }
    }
}

// The owner that a call names for files or data. A misspelt one would leave them unencrypted.
extension VaultService {
    /// The owner that a call names; nil for nil. Refused if the caller does not control it.
    func namedOwner(_ name: String?, _ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let owner = try identity(name, in: "owner") else { return nil }
        try requireControl(call, of: owner)
        return owner
    }

    /// Refuses an owner without an account, which would leave the data unencrypted, unless the call
    /// sets `unmanaged` or its caller acts for that owner. The empty owner, nobody, is always
    /// meant.
    func requireMeant(
        _ owner: Identity, unmanaged: Bool?, _ call: VarlinkCall
    ) throws(VarlinkError) {
        guard !owner.isNobody, !vault.isManaged(owner) else { return }
        guard unmanaged != true else { return }
        guard !identity(of: call.peer).matches(owner) else { return }
        throw .unmanagedOwner(owner.description, guess(owner, call))
    }

    /// The error where only an account can be the owner.
    func notManaged(_ owner: Identity, _ call: VarlinkCall) -> VarlinkError {
        .notManaged("\(owner) is not a managed account here\(guess(owner, call))")
    }

    /// Suggests only accounts that the caller controls: others stay hidden.
    private func guess(_ owner: Identity, _ call: VarlinkCall) -> Message {
        didYouMean(owner.description, in: controlled(by: call.peer).map(\.identity.description))
    }
}

extension VarlinkError {
    /// A missing owner is not a request for no encryption.
    static var noOwner: VarlinkError { .invalidInput("owner is missing; \"\" is nobody") }
}
