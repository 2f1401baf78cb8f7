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

    /// The account that a call names, or the caller's only one; checked against the caller's
    /// rights.
    func account(_ call: VarlinkCall) throws(VarlinkError) -> (id: AccountID, name: String) {
        guard let text = try call.parameters.optionalString("account") else {
            let own = controlled(by: call.peer)
            guard let only = own.first, own.count == 1 else {
                throw .invalidInput(
                    own.isEmpty ? "no account is registered" : "name one of the accounts")
            }
            return (only.id, only.identity.description)
        }
        guard let account = vault.account(named: text) else { throw .unknownAccount(text) }
        try requireControl(call, of: vault.identity(of: account))
        return (account, vault.identity(of: account).description)
    }

    /// Runs a keyring call whose failure becomes the caller's error.
    func keyed<Value>(
        _ name: String, _ body: () throws(KeyringError) -> Value
    ) throws(VarlinkError) -> Value {
        do throws(KeyringError) { return try body() } catch {
            switch error {
            case .wrongPassphrase(let seconds):
                throw .wrongPassphrase(
                    name, retryAfterSeconds: Int(seconds),
                    outlook: vault.account(named: name).flatMap {
                        Accounts(vault).outlookOnGuesses($0)
                    })
            case .retryLater(let seconds), .attemptsDamaged(let seconds):
                throw .notTried(
                    name, retryAfterSeconds: Int(seconds), because: error.description)
            case .accountExists: throw .accountExists(name)
            case .refused(let reason, let next): throw .refused(reason, next: next)
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
