// Accounts over the socket: register, list, lock, unlock, change the passphrase.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    private func accountReports() -> [AccountReport] { Accounts(vault).all.map(AccountReport.init) }

    /// With all that is known of them. Which documents cover an account is told to those that it
    /// answers to.
    func accountReports(for peer: Peer) -> [AccountReport] {
        let counts = Accounts(vault).openFileCounts
        return Accounts(vault).all.map { account in
            var outlook = Accounts(vault).outlook(of: account.id)
            outlook.openFiles = counts[account.id] ?? 0
            if !isControlled(account, by: peer) { outlook.policies = nil }
            var report = AccountReport(account)
            report.outlook = outlook
            return report
        }
    }

    func listAccounts(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        return ["accounts": .array(accountReports(for: call.peer).map(\.json))]
    }

    func registerAccount(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        let request: Varlink.Workspace.RegisterAccount = try call.request()
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

    func changePassphrase(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([
            "account", "passphrase", "passphraseDescriptor", "newPassphrase",
            "newPassphraseDescriptor", "noPassphrase",
        ])
        let (account, name) = try account(call)
        let old = try call.secret("passphrase")
        let new = try call.newSecret("newPassphrase", orNone: "noPassphrase")
        try keyed(name) { () throws(KeyringError) in
            try Passphrases(tree).changePassphrase(of: account, from: old, to: new)
        }
        return try report(of: account)
    }

    func lock(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account", "now"])
        let now = try call.parameters.flag("now")
        let accounts =
            call.parameters.has("account")
            ? [try account(call).id] : controlled(by: call.peer).map(\.id)
        let left = Lock(tree).lock(accounts, now: now)
        return [
            "accounts": .array(accountReports().map(\.json)),
            "stragglers": left.map { Varlink.Workspace.Straggler($0) }.json,
        ]
    }

    func unlock(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account", "passphrase", "passphraseDescriptor"])
        let (account, name) = try account(call)
        let passphrase = try call.secret("passphrase")
        try keyed(name) { () throws(KeyringError) in
            try Unlock(tree).unlock(account, passphrase: passphrase)
        }
        return try report(of: account)
    }

    private func report(of account: AccountID) throws(VarlinkError) -> [String: JSONValue] {
        guard let status = Accounts(vault).all.first(where: { $0.id == account }) else {
            throw .unknownAccount(account.bytes.description)
        }
        return ["account": AccountReport(status).json]
    }
}

extension AccountReport {
    init(_ status: AccountStatus) {
        self.init(
            id: status.id.bytes.description, name: status.identity.name,
            objectID: status.identity.objectID, uid: status.user, state: status.state,
            hasPassphrase: status.hasPassphrase, isDefault: status.isDefault,
            retryAfterSeconds: status.retryAfterSeconds)
        stage = status.enrollment?.stage.rawValue ?? ""
        statusCode = status.enrollment?.status.code.rawValue ?? 0
        block = status.block?.kind.rawValue ?? ""
        blockReason = status.block?.reason ?? ""
        isRecoverable = status.isRecoverable
        guessableSeconds = status.guessableSeconds
    }
}
