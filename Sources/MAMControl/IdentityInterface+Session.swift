// The user interface's identity, and the accounts that cannot be used.

internal import MAMCrypto
internal import MAMIdentity
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension IdentityInterface {
    func setUserInterfaceIdentity(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.SetUserInterfaceIdentity.Reply {
        let request: Wire.SetUserInterfaceIdentity = try call.request()
        let identity = try ownIdentity(request.identity, call)
        return switchSession(
            call, to: identity.map { [$0] }, thread: try callingThread(request.thread, call),
            passphrase: try call.secret("passphrase"))
    }

    func setUserInterfaceIdentities(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.SetUserInterfaceIdentities.Reply {
        let request: Wire.SetUserInterfaceIdentities = try call.request()
        return switchSession(
            call, to: try identities(request.identities, in: "identities", call),
            thread: try callingThread(request.thread, call), passphrase: nil)
    }

    private func switchSession(
        _ call: VarlinkCall, to identities: [Identity]?, thread: Int32, passphrase: SecretBytes?
    ) -> Wire.SetUserInterfaceIdentity.Reply {
        let done = Switch(tree).switchSession(
            session(of: call), to: identities, thread: thread, passphrase: passphrase)
        return .init(
            result: done.result.rawValue, word: done.result.word, reason: done.reason)
    }

    func getUserInterfaceIdentity(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.GetUserInterfaceIdentity.Reply {
        let request: Wire.GetUserInterfaceIdentity = try call.request()
        let session = session(of: call)
        let names = Callers(vault).identities(of: session)?.map(\.description)
        let holds = Callers(vault).interfaceIdentity(
            of: session, thread: try callingThread(request.thread, call))
        return .init(
            session: session.name, identities: names,
            acting: holds.map { acting($0.identity, $0.source) })
    }

    func blockedAccounts(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.BlockedAccounts.Reply {
        _ = try call.request(Wire.BlockedAccounts.self)
        let canceled = vault.sessions.canceled(in: session(of: call))
        let blocked = controlled(by: call.peer).compactMap { account -> Wire.BlockedAccount? in
            guard let (reason, word, text) = Self.reason(account, canceled) else { return nil }
            return .init(
                account: account.identity.description, reason: reason, word: word, text: text)
        }
        return .init(accounts: blocked)
    }

    /// `IntuneMAMBlockAccountReason`; nil for 0, not blocked.
    private static func reason(
        _ account: AccountStatus, _ canceled: Set<AccountID>
    ) -> (Int, String, String)? {
        switch account.block {
        case let block? where block.kind == .clockedOut: (3, "clockedOut", block.reason.english)
        case let block?: (1, "launchBlocked", block.reason.english)
        case nil where canceled.contains(account.id):
            (2, "canceled", "its launch was given up in this session; switch to it again")
        case nil: nil
        }
    }
}

// Programs that answer when their login session has to show another identity.
extension IdentityInterface {
    /// Ends when the caller hangs up.
    func awaitSwitches(_ call: VarlinkCall) throws -> Wire.AwaitSwitches.Reply {
        _ = try call.request(Wire.AwaitSwitches.self)
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let answerer: SwitchAnswerer
        do throws(Errno) {
            answerer = try vault.sessions.switches.answerer(in: session(of: call))
        } catch {
            throw VarlinkError.systemError(error, "the stream of switches")
        }
        // From now on its answers are waited for.
        try call.reply(Wire.AwaitSwitches.Reply())
        while call.waitWhileConnected(for: answerer.readable) {
            for request in answerer.take() {
                try call.reply(Wire.AwaitSwitches.Reply(request: .init(request)))
            }
        }
        // The caller has hung up: no final reply.
        throw Errno.notConnected
    }

    func answerSwitch(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.AnswerSwitch = try call.request()
        guard let result = SwitchResult(rawValue: request.result) else {
            throw .invalidParameter("result")
        }
        guard vault.sessions.switches.answer(request.id, from: session(of: call), result) else {
            throw .notFound("nothing in this login session waits for switch \(request.id)")
        }
        return NoMembers()
    }
}

extension Varlink.Identity.SwitchRequest {
    fileprivate init(_ request: SwitchRequest) {
        self.init(
            id: request.id, session: request.session.name, name: request.name,
            reason: request.reason.rawValue, seconds: SwitchRequests.seconds)
    }
}
