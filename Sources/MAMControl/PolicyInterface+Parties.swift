// Whom a question is about.

internal import MAMModel
internal import MAMPolicy
internal import MAMVault
internal import MAMWire

extension PolicyInterface {
    /// The account that a call names, which answers to the caller, or the identity that the caller works for.
    func party(_ call: VarlinkCall, _ name: String = "account") throws(VarlinkError) -> Party {
        try namedParty(call, name)
            ?? party(of: identity(of: call.peer))
    }

    /// Nil where the call names none: a side that is unknown, or unmanaged.
    func namedParty(_ call: VarlinkCall, _ name: String) throws(VarlinkError) -> Party? {
        guard let identity = try call.identity(name) else { return nil }
        try requireControl(call, of: identity)
        return party(of: identity)
    }

    /// All accounts of `accounts` together, one of them that is managed at least: the most restrictive of everything.
    func parties(_ call: VarlinkCall) throws(VarlinkError) -> Party {
        guard call.parameters.has("accounts") else { return try party(call) }
        let named = try identities(call, "accounts").map(party)
        let managed = named.filter(\.isManaged)
        guard let first = managed.first else { return .nobody }
        return .managed(first.identity, .lockDown(of: managed.map(\.policy)))
    }

    /// Each of them answers to the caller.
    func identities(_ call: VarlinkCall, _ name: String) throws(VarlinkError) -> [Identity] {
        var found: [Identity] = []
        for text in try call.list(name) {
            guard let identity = try? Identity(name: text) else { throw .invalidParameter(name) }
            try requireControl(call, of: identity)
            found.append(identity)
        }
        return found
    }

    func party(of identity: Identity) -> Party {
        guard vault.registrant(of: identity) != nil else { return .unmanaged(identity) }
        return .managed(vault.canonical(identity), vault.policy(of: identity))
    }

    /// The owner of the file that a call names by path or descriptor, or by its name; nil if the file says nothing of
    /// an owner. Whoever has a file may know whose it is, and not what that owner's policy says.
    func owner(_ call: VarlinkCall) throws(VarlinkError) -> Party? {
        guard call.parameters.has("path") || call.parameters.has("fileDescriptor") else {
            return try namedParty(call, "owner")
        }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let info = try vaulted { () throws(VaultError) in
            try protection(of: file, call, in: tree)
        }
        if info.state == .damaged { throw .damaged(info.reason) }
        if info.state == .foreign { return nil }
        try requireControl(call, of: info.owner)
        return party(of: info.owner)
    }

    func managedAccounts(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        let own = controlled(by: call.peer).filter { vault.isRegistered($0.id) }
        // Of one's own: root controls those of others as well.
        let primary = own.filter { $0.user == call.peer.uid }
        let isManaged =
            vault.settings.policyRequired || own.contains { vault.policies.covers($0.identity) }
        return [
            "accounts": .array(own.map { report($0.identity) }),
            "primary": primary.count == 1 ? report(primary[0].identity) : .null,
            "managementEnabled": .bool(isManaged),
        ]
    }

    /// Without regard to case, and by the object id where one account has both.
    func sameIdentity(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["first", "second"])
        let first = try namedParty(call, "first") ?? .nobody
        let second = try namedParty(call, "second") ?? .nobody
        return ["same": .bool(first.identity.matches(second.identity))]
    }

    private func report(_ identity: Identity) -> JSONValue {
        ["name": .string(identity.name), "objectId": .string(identity.objectID)]
    }

    func isManaged(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account"])
        // One that was deregistered with its keys kept still has its rules, for the files that
        // stay.
        return ["managed": .bool(vault.isRegistered(try party(call).identity))]
    }
}
