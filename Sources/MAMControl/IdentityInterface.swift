// io.mamd.Identity over the vault: one method of the interface is one function here.

internal import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Answers the socket. Holds no state of its own.
package struct IdentityInterface: VaultInterface {
    let tree: Tree

    package init(tree: Tree) { self.tree = tree }

    package var name: String { Varlink.Identity.name }
    package var description: String { Varlink.Identity.text }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Varlink.Identity.Method.self) {
        case .setThreadIdentity: try setThreadIdentity(call)
        case .setProcessIdentity: try setProcessIdentity(call)
        case .getIdentity: try getIdentity(call)
        case .setUserInterfaceIdentity: try setUserInterfaceIdentity(call)
        case .setUserInterfaceIdentities: try setUserInterfaceIdentities(call)
        case .getUserInterfaceIdentity: try getUserInterfaceIdentity(call)
        case .linkAccount: try linkAccount(call)
        case .blockedAccounts: try blockedAccounts(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        ["LinkAccount", "SetUserInterfaceIdentity"].contains(method) ? .derivation : .short
    }

    package func connectionEnded(_ connection: ConnectionID) { vault.identities.end(connection) }

    private func setThreadIdentity(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue]
    {
        try call.parameters.allowOnly(["thread", "identity"])
        let identity = try ownIdentity(call)
        guard let thread = try call.thread("thread") else { throw .invalidParameter("thread") }
        guard let life = call.peer.life,
            vault.identities.set(
                identity, by: call.peer.uid, forThread: thread, of: life,
                until: call.connectionID)
        else { throw Self.noThread }
        return [:]
    }

    private func setProcessIdentity(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["identity", "scoped", "unmanaged"])
        try requireMeantIdentity(call)
        let isScoped = try call.parameters.flag("scoped")
        try setProcessIdentity(call, until: isScoped ? call.connectionID : nil)
        return [:]
    }

    /// A program may work for anybody. It can have a name refused that a person may have misspelt.
    private func requireMeantIdentity(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.parameters.has("unmanaged"), let identity = try ownIdentity(call) else { return }
        try requireMeant(identity, call)
    }

    private func getIdentity(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["thread"])
        let found = Callers(vault).found(forThread: try callingThread(call), user: call.peer.uid)
        return ["acting": acting(found.identity, found.source)]
    }

    private func linkAccount(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([
            "account", "objectId", "passphrase", "passphraseDescriptor",
        ])
        let (account, name) = try account(call)
        let objectID = try call.parameters.string("objectId")
        let passphrase = try call.secret("passphrase")
        if let refusal = NewNames(tree).refusalToLink(
            account, objectID: objectID, user: call.peer.uid, while: { call.isConnected })
        {
            throw .refused(refusal)
        }
        try keyed(name) { () throws(KeyringError) in
            try Link(tree).link(account, objectID: objectID, passphrase: passphrase)
        }
        let linked = vault.identity(of: account)
        return ["name": .string(linked.name), "objectId": .string(linked.objectID)]
    }

    /// A thread of the calling process: the one that is named, else the first.
    func callingThread(_ call: VarlinkCall) throws(VarlinkError) -> Int32 {
        let process = call.peer.isAlive ? call.peer.pid : 0
        guard let thread = try call.thread("thread") else { return process }
        guard process > 0, processID(ofThread: thread) == process else { throw Self.noThread }
        return thread
    }

    func acting(_ identity: Identity, _ source: FoundIdentity.Source?) -> JSONValue {
        var process: Int32?
        let word: String
        switch source {
        case .thread: word = "thread"
        case .process(let id): (word, process) = ("process", id)
        case .userDefault: word = "default"
        case nil: word = "session"
        }
        return [
            "name": .string(identity.name), "objectId": .string(identity.objectID),
            "managed": .bool(vault.isManaged(identity)), "source": .string(word),
            "process": process.map { JSONValue($0) } ?? .null,
        ]
    }

    private static let noThread = VarlinkError.invalidInput(
        "the calling process has no such thread, has ended, or is not visible to the daemon")
}

extension VaultService {
    /// The identity that a call sets for its caller, in the account's own spelling; nil to take it
    /// back.
    func ownIdentity(_ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let identity = try call.identity("identity") else { return nil }
        try requireControl(call, of: identity)
        return vault.canonical(identity)
    }

    func setProcessIdentity(
        _ call: VarlinkCall, until connection: ConnectionID?
    ) throws(VarlinkError) {
        let identity = try ownIdentity(call)
        guard let life = call.peer.life,
            vault.identities.set(
                identity, by: call.peer.uid, for: life, until: connection)
        else {
            throw .invalidInput("the calling process has ended, or is not visible to the daemon")
        }
    }
}

extension VarlinkCall {
    fileprivate func thread(_ name: String) throws(VarlinkError) -> Int32? {
        guard let number = try parameters.optionalInteger(name) else { return nil }
        guard let thread = Int32(exactly: number), thread > 0 else { throw .invalidParameter(name) }
        return thread
    }
}
