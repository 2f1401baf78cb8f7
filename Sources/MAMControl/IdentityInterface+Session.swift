// For whom people work on the screen, and the accounts that they cannot work with.

internal import MAMCrypto
internal import MAMIdentity
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension IdentityInterface {
    func setUserInterfaceIdentity(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([
            "identity", "passphrase", "passphraseDescriptor", "thread",
        ])
        let identity = try ownIdentity(call)
        return switchSession(
            call, to: identity.map { [$0] }, thread: try callingThread(call),
            passphrase: try call.secret("passphrase"))
    }

    func setUserInterfaceIdentities(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["identities", "thread"])
        var identities: [Identity] = []
        for text in try call.list("identities") {
            guard let identity = try? Identity(name: text) else {
                throw .invalidParameter("identities")
            }
            try requireControl(call, of: identity)
            identities.append(identity)
        }
        return switchSession(call, to: identities, thread: try callingThread(call), passphrase: nil)
    }

    private func switchSession(
        _ call: VarlinkCall, to identities: [Identity]?, thread: Int32, passphrase: SecretBytes?
    ) -> [String: JSONValue] {
        let done = Switch(tree).switchSession(
            session(of: call), to: identities, thread: thread, passphrase: passphrase)
        return [
            "result": JSONValue(done.result.rawValue), "word": .string(done.result.word),
            "reason": .string(done.reason),
        ]
    }

    func getUserInterfaceIdentity(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["thread"])
        let session = session(of: call)
        let names = Callers(vault).identities(of: session)?.map(\.description)
        let holds = Callers(vault).interfaceIdentity(of: session, thread: try callingThread(call))
        return [
            "session": .string(session.name),
            "identities": names.map { .array($0.map(JSONValue.string)) } ?? .null,
            "acting": holds.map { acting($0.identity, $0.source) } ?? .null,
        ]
    }

    func blockedAccounts(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        let canceled = vault.sessions.canceled(in: session(of: call))
        let blocked = controlled(by: call.peer).compactMap { account -> JSONValue? in
            guard let (reason, word, text) = Self.reason(account, canceled) else { return nil }
            return [
                "account": .string(account.identity.description), "reason": JSONValue(reason),
                "word": .string(word), "text": .string(text),
            ]
        }
        return ["accounts": .array(blocked)]
    }

    /// `IntuneMAMBlockAccountReason`; nil is its 0.
    private static func reason(
        _ account: AccountStatus, _ canceled: Set<AccountID>
    ) -> (Int, String, String)? {
        switch account.block {
        case let block? where block.kind == .clockedOut: (3, "clockedOut", block.reason)
        case let block?: (1, "launchBlocked", block.reason)
        case nil where canceled.contains(account.id):
            (2, "canceled", "its launch was given up in this session; switch to it again")
        case nil: nil
        }
    }
}
