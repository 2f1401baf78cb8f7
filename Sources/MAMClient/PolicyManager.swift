// Identities and policies: the SDK's IntuneMAMPolicyManager.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The identity that a program acts for, and its policy. An account is a name or an object id; ""
/// means nobody.
public struct PolicyManager: Sendable {
    let service: Service
    let threads: ThreadIdentities

    // MARK: Identities

    /// Runs `body` while the calling thread acts for an account: new files are that account's, and
    /// its files can be opened. Takes precedence over the process's identity. Calls may be nested;
    /// processes that `body` starts inherit the process's identity.
    ///
    /// - Parameters:
    ///   - accountId: "" for nobody; nil for the process's identity.
    ///   - body: runs on this thread.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`, or ``MAMError`` if the identity cannot be set or restored.
    public func setCurrentThreadAccountId<Value>(
        _ accountId: String?, forScope body: () throws -> Value
    ) throws -> Value {
        let outer = try currentIdentity()
        try threads.set(accountId)
        let result = Result { try body() }
        // Continuing would create files under the wrong identity.
        try threads.set(outer.source == .thread ? outer.accountId : nil)
        return try result.get()
    }

    /// Sets the identity of this process, and of processes that it starts from now on, until it
    /// ends.
    public func setProcessAccountId(_ accountId: String?) throws(MAMError) {
        try service.call(
            Varlink.Identity.SetProcessIdentity(identity: accountId, scoped: false))
    }

    /// The identity that the calling thread acts for, and its source.
    public func currentIdentity() throws(MAMError) -> ActingIdentity {
        ActingIdentity(
            try service.call(Varlink.Identity.GetIdentity(thread: currentThread)).acting)
    }

    /// Sets the account that the user of this login session works for on the screen. Has no effect
    /// on files.
    ///
    /// - Parameters:
    ///   - accountId: "" for nobody; nil removes the setting.
    ///   - passphrase: for a locked account; without one the switch is cancelled.
    /// - Returns: whether the switch succeeded, and why not.
    /// - Throws: ``MAMError`` if the daemon cannot be reached.
    public func setUIPolicyAccountId(
        _ accountId: String?, passphrase: Passphrase = .none
    ) throws(MAMError) -> SwitchIdentityResult {
        let secret = try passphrase.secret()
        return try service.call(
            Varlink.Identity.SetUserInterfaceIdentity(
                identity: accountId, passphraseDescriptor: secret.index, thread: currentThread),
            secret.descriptors, SwitchIdentityResult.init)
    }

    /// Sets several accounts, for a view that merges them. More than one managed account needs the
    /// setting `MultiManagedIdentities`.
    public func setUIPolicyAccountIds(
        _ accountIds: [String]
    ) throws(MAMError) -> SwitchIdentityResult {
        try service.call(
            Varlink.Identity.SetUserInterfaceIdentities(
                identities: accountIds, thread: currentThread), [], SwitchIdentityResult.init)
    }

    /// The accounts set for this login session; nil if none were set.
    public func uiPolicyAccountIds() throws(MAMError) -> [String]? {
        try service.call(Varlink.Identity.GetUserInterfaceIdentity(thread: currentThread))
            .identities
    }

    // MARK: Accounts

    /// Whether an account is managed; nil asks about this process's identity.
    public func isAccountIdManaged(_ accountId: String?) throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.IsManaged(account: accountId)).managed
    }

    /// Compares without regard to case, and by name and object id if an account has both.
    public func isIdentity(
        _ first: String, equalTo second: String
    ) throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.SameIdentity(first: first, second: second)).same
    }

    /// The managed accounts that the caller may act for: their names, or object ids if they have
    /// none.
    public func managedAccountIds() throws(MAMError) -> [String] {
        try service.call(Varlink.Policy.ManagedAccounts()).accounts.map(\.accountID)
    }

    /// The only account that the caller registered; nil if there are several or none.
    public func primaryAccountId() throws(MAMError) -> String? {
        try service.call(Varlink.Policy.ManagedAccounts()).primary?.accountID
    }

    /// True if policy covers an account of the caller's, or is required.
    public func isManagementEnabled() throws(MAMError) -> Bool {
        try service.call(Varlink.Policy.ManagedAccounts()).managementEnabled
    }

    /// The caller's accounts that cannot be used now, except those that are only locked.
    public func blockedAccounts() throws(MAMError) -> [BlockedAccount] {
        try service.call(Varlink.Identity.BlockedAccounts()) { reply throws(VarlinkError) in
            try reply.accounts.map(BlockedAccount.init)
        }
    }

    // MARK: Policies

    /// The policy of the identity that this process acts for.
    public func policy() -> Policy { Policy(service: service, accountId: nil) }

    /// The policy of an account. An unmanaged account's restricts nothing.
    public func policy(forAccountId accountId: String) -> Policy {
        Policy(service: service, accountId: accountId)
    }
}

extension Varlink.Policy.ManagedAccount {
    /// The name, else the object id.
    fileprivate var accountID: String { name.isEmpty ? objectID : name }
}
