// io.mamd.Identity over the vault, one function per method.

internal import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface. Stateless.
package struct IdentityInterface: VaultInterface {
    typealias Wire = Varlink.Identity

    let tree: Tree

    package init(tree: Tree) { self.tree = tree }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .setThreadIdentity: try setThreadIdentity(call)
        case .setProcessIdentity: try setProcessIdentity(call)
        case .getContainment: try getContainment(call)
        case .contain: try contain(call)
        case .noteRefusal: try noteRefusal(call)
        case .trust: try trust(call)
        case .getIdentity: try getIdentity(call)
        case .setUserInterfaceIdentity: try setUserInterfaceIdentity(call)
        case .setUserInterfaceIdentities: try setUserInterfaceIdentities(call)
        case .getUserInterfaceIdentity: try getUserInterfaceIdentity(call)
        case .awaitSwitches: try awaitSwitches(call)
        case .answerSwitch: try answerSwitch(call)
        case .linkAccount: try linkAccount(call)
        case .blockedAccounts: try blockedAccounts(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .linkAccount, .setUserInterfaceIdentity: .derivation
        case .awaitSwitches: .listening
        default: .short
        }
    }

    package func connectionEnded(_ connection: ConnectionID) { vault.identities.end(connection) }

    private func setThreadIdentity(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.SetThreadIdentity = try call.request()
        let identity = try ownIdentity(request.identity, call)
        let thread = try threadID(request.thread)
        guard let life = call.peer.life,
            vault.identities.set(
                identity, by: call.peer.uid, forThread: thread, of: life,
                until: call.connectionID)
        else { throw notSet(call, threadOf: call.peer.life) ?? Self.noThread }
        return NoMembers()
    }

    private func setProcessIdentity(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.SetProcessIdentity = try call.request()
        // A program may act for any identity. With `unmanaged`, it can have a name refused that
        // looks like a typing error.
        if let unmanaged = request.unmanaged,
            let identity = try ownIdentity(request.identity, call)
        {
            try requireMeant(identity, unmanaged: unmanaged, call)
        }
        try setProcessIdentity(
            request.identity, call, until: request.scoped == true ? call.connectionID : nil)
        return NoMembers()
    }

    private func getIdentity(_ call: VarlinkCall) throws(VarlinkError) -> Wire.GetIdentity.Reply {
        let request: Wire.GetIdentity = try call.request()
        let found = Callers(vault).found(
            forThread: try callingThread(request.thread, call), user: call.peer.uid)
        return .init(
            acting: acting(
                found.identity, found.source, found.isContained || call.peer.isContained))
    }

    private func linkAccount(_ call: VarlinkCall) throws(VarlinkError) -> Wire.LinkAccount.Reply {
        let request: Wire.LinkAccount = try call.request()
        let (account, name) = try account(request.account, call)
        let objectID = request.objectID
        let passphrase = try call.secret("passphrase")
        if let refusal = NewNames(tree).refusalToLink(
            account, objectID: objectID, user: call.peer.uid, while: { call.isConnected })
        {
            throw .refused(refusal)
        }
        try keyed(name) { () throws(KeyringError) in
            try Registration(tree).link(account, objectID: objectID, passphrase: passphrase)
        }
        let linked = vault.identity(of: account)
        return .init(name: linked.name, objectID: linked.objectID)
    }

    /// The named thread of the calling process; nil: its first.
    func callingThread(_ named: Int?, _ call: VarlinkCall) throws(VarlinkError) -> Int32 {
        let process = call.peer.isAlive ? call.peer.pid : 0
        guard let named else { return process }
        let thread = try threadID(named)
        guard process > 0, processID(ofThread: thread) == process else { throw Self.noThread }
        return thread
    }

    private func threadID(_ number: Int) throws(VarlinkError) -> Int32 {
        guard let thread = Int32(exactly: number), thread > 0 else {
            throw .invalidParameter("thread")
        }
        return thread
    }

    func acting(
        _ identity: Identity, _ source: FoundIdentity.Source?, _ isContained: Bool = false
    ) -> Wire.Acting {
        var process: Int?
        let told: Wire.Source
        switch source {
        case .thread: told = .thread
        case .process(let id): (told, process) = (.process, Int(id))
        case .userDefault: told = .default
        case nil: told = .session
        }
        return .init(
            name: identity.name, objectID: identity.objectID, managed: vault.isManaged(identity),
            source: told, process: process, contained: isContained)
    }

    private static let noThread = VarlinkError.invalidInput(
        "the calling process has no such thread, has ended, or is not visible to the daemon")
}

extension VaultService {
    /// The identity that a call sets for its caller, in the account's spelling; nil clears it.
    func ownIdentity(_ name: String?, _ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let identity = try identity(name, in: "identity") else { return nil }
        try requireControl(call, of: identity)
        return vault.canonical(identity)
    }

    func setProcessIdentity(
        _ name: String?, _ call: VarlinkCall, until connection: ConnectionID?
    ) throws(VarlinkError) {
        let identity = try ownIdentity(name, call)
        guard let life = call.peer.life,
            vault.identities.set(
                identity, by: call.peer.uid, for: life, until: connection)
        else {
            throw notSet(call)
                ?? .invalidInput("the calling process has ended, or is not visible to the daemon")
        }
    }

    /// The error of an identity that the user has no room for; nil if there is room.
    func notSet(_ call: VarlinkCall, threadOf process: ProcessLife? = nil) -> VarlinkError? {
        guard !vault.identities.hasRoom(for: call.peer.uid, threadOf: process) else { return nil }
        return .busy(
            "uid \(call.peer.uid) has identities for too many processes, or threads of this one")
    }
}
