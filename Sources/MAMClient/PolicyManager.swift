// Identities, and whose policy to ask: the SDK's IntuneMAMPolicyManager.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// For whom a program works, and what policy says to that. An account is a name or an object id; ""
/// is nobody.
public struct PolicyManager: Sendable {
    let service: Service
    let threads: ThreadIdentities

    // MARK: Identities

    /// Runs `body` with the calling thread working for an account: its files are that account's,
    /// and it may open that account's. It comes before the process's identity. May be nested;
    /// processes that `body` starts have their process's.
    ///
    /// - Parameters:
    ///   - accountId: "" for nobody; nil for whom the process works for.
    ///   - body: what runs; on this thread, to its end.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or ``MAMError`` if the identity cannot be set or taken back.
    public func setCurrentThreadAccountId<Value>(
        _ accountId: String?, forScope body: () throws -> Value
    ) throws -> Value {
        let outer = try currentIdentity()
        try threads.set(accountId)
        let result = Result { try body() }
        // Continuing with another identity would write that identity's files.
        try threads.set(outer.source == .thread ? outer.accountId : nil)
        return try result.get()
    }

    /// For whom this process works from now on, and each that it starts from now on, until it ends.
    public func setProcessAccountId(_ accountId: String?) throws(MAMError) {
        try service.call(
            "Identity.SetProcessIdentity", ["identity": JSONValue(accountId), "scoped": false])
    }

    /// For whom the calling thread works, and why.
    public func currentIdentity() throws(MAMError) -> ActingIdentity {
        try service.call("Identity.GetIdentity", ["thread": JSONValue(currentThread)]) {
            reply throws(VarlinkError) in ActingIdentity(try reply.object("acting"))
        }
    }

    /// For whom the user works on the screen of this login session. Nothing follows for files.
    ///
    /// - Parameters:
    ///   - accountId: "" for nobody; nil takes back what was set.
    ///   - passphrase: of a locked account; without one the switch to it is canceled.
    /// - Returns: whether the user works for it now, and why not.
    /// - Throws: ``MAMError`` if the daemon cannot be asked.
    public func setUIPolicyAccountId(
        _ accountId: String?, passphrase: Passphrase = .none
    ) throws(MAMError) -> SwitchIdentityResult {
        let secret = try passphrase.forUnlocking()
        let parameters = secret.parameters.merging([
            "identity": JSONValue(accountId), "thread": JSONValue(currentThread),
        ]) { $1 }
        return try service.call(
            "Identity.SetUserInterfaceIdentity", parameters, secret.descriptors,
            SwitchIdentityResult.init)
    }

    /// The same with several, for a view that merges them. More than one needs the setting
    /// `MultiManagedIdentities`.
    public func setUIPolicyAccountIds(
        _ accountIds: [String]
    ) throws(MAMError) -> SwitchIdentityResult {
        try service.call(
            "Identity.SetUserInterfaceIdentities",
            [
                "identities": .array(accountIds.map { .string($0) }),
                "thread": JSONValue(currentThread),
            ], [], SwitchIdentityResult.init)
    }

    /// What was set for this login session; nil for nothing.
    public func uiPolicyAccountIds() throws(MAMError) -> [String]? {
        try service.call(
            "Identity.GetUserInterfaceIdentity", ["thread": JSONValue(currentThread)]
        ) { reply throws(VarlinkError) in
            reply.has("identities") ? try reply.strings("identities") : nil
        }
    }

    // MARK: Accounts

    /// Whether an account is managed; nil asks about whom this process works for.
    public func isAccountIdManaged(_ accountId: String?) throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.IsManaged(account: accountId)).managed
    }

    /// Without regard to case, and by name and object id where an account has both.
    public func isIdentity(
        _ first: String, equalTo second: String
    ) throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.SameIdentity(first: first, second: second)).same
    }

    /// The managed accounts that answer to the caller: their names, or object ids where they have
    /// none.
    public func managedAccountIds() throws(MAMError) -> [String] {
        try service.call(Varlink.Policy.ManagedAccounts()).accounts.map(\.accountID)
    }

    /// The only account that the caller registered; nil if there are more, or none.
    public func primaryAccountId() throws(MAMError) -> String? {
        try service.call(Varlink.Policy.ManagedAccounts()).primary?.accountID
    }

    /// Policy covers an account of the caller's, or is required.
    public func isManagementEnabled() throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.ManagedAccounts()).managementEnabled
    }

    /// The caller's accounts that cannot be worked with now, beside those that are only locked.
    public func blockedAccounts() throws(MAMError) -> [BlockedAccount] {
        try service.call("Identity.BlockedAccounts") { reply throws(VarlinkError) in
            var found: [BlockedAccount] = []
            for account in try reply.objects("accounts") {
                found.append(try BlockedAccount(account))
            }
            return found
        }
    }

    // MARK: Policies

    /// The policy of whom this process works for.
    public func policy() -> Policy { Policy(service: service, accountId: nil) }

    /// The policy of an account. Of one that is not managed it restricts nothing.
    public func policy(forAccountId accountId: String) -> Policy {
        Policy(service: service, accountId: accountId)
    }
}

extension Varlink.Policy.ManagedAccount {
    /// The name, else the object id.
    fileprivate var accountID: String { name.isEmpty ? objectID : name }
}

/// The name, else the object id.
func accountId(_ wire: Parameters) -> String {
    let name = (try? wire.string("name")) ?? ""
    return name.isEmpty ? (try? wire.string("objectId")) ?? "" : name
}
