// The identity that a thread or a session acts for.

internal import Glibc
internal import MAMCrypto
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMStore
package import MAMSystem

/// Determines the identity that a thread or a session acts for.
package struct Callers: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// A caller's file identity: its thread's, else its process's, else its user's default.
    package func identity(ofThread thread: Int32, user: UInt32) -> Identity {
        found(forThread: thread, user: user).identity
    }

    /// Whose a file is that a program makes: `place` determines it if neither thread nor process
    /// does.
    package func owner(by maker: FoundIdentity, orOf place: () -> Identity?) -> Identity {
        guard maker.source == .userDefault, let owner = place(),
            mayKeep(contentOf: maker.giver, owner)
        else { return maker.identity }
        return owner
    }

    /// False if another user registered the directory's account: that user could lock and destroy
    /// this user's content. Root's accounts accept everyone's.
    private func mayKeep(contentOf user: UInt32, _ owner: Identity) -> Bool {
        vault.registrant(of: owner) == 0 || mayAct(user, for: owner)
    }

    /// Also returns where the identity comes from.
    package func found(forThread thread: Int32, user: UInt32) -> FoundIdentity {
        told(vault.identities.found(forThread: thread, of: user), thread, user)
    }

    /// For threads that serve the mount: `EAGAIN` where this would take them from others.
    package func foundOnMount(
        forThread thread: Int32, user: UInt32
    ) throws(VaultError) -> FoundIdentity {
        let found = try systemCall { () throws(Errno) in
            try vault.identities.foundOnMount(forThread: thread, of: user)
        }
        return told(found, thread, user)
    }

    private func told(_ found: FoundIdentity?, _ thread: Int32, _ user: UInt32) -> FoundIdentity {
        guard let found else { return ordinary(user) }
        let base =
            found.source == .userDefault ? ordinary(user) : valid(found) ?? ordinary(user)
        guard !found.possible.isEmpty || found.isUndecided else { return base }
        return decided(base, found, thread, user)
    }

    private func ordinary(_ user: UInt32) -> FoundIdentity {
        FoundIdentity(identity: defaultIdentity(ofUser: user), source: .userDefault, giver: user)
    }

    /// What a program does is an account's rather than plain where it may be either.
    private func decided(
        _ base: FoundIdentity, _ found: FoundIdentity, _ thread: Int32, _ user: UInt32
    ) -> FoundIdentity {
        let isManaged = vault.isManaged(base.identity)
        if base.source == .userDefault, isManaged { return base }
        let possible = found.possible.filter { vault.isManaged($0) && mayAct(user, for: $0) }
        let accounts = FoundIdentity.distinct(possible + (isManaged ? [base.identity] : []))
        if accounts.isEmpty, !found.isUndecided { return base }
        if accounts.count == 1, !found.isUndecided {
            return FoundIdentity(
                identity: accounts[0], source: .process(thread), giver: user,
                standing: base.standing)
        }
        var undecided = base.forNobody
        undecided.isUndecided = true
        return undecided
    }

    /// The identity set for a thread, its process or an ancestor; nil if it does not count. A name
    /// that was unmanaged when it was set, but has since become another user's account, no longer
    /// counts: plain content stays with its user instead of passing to another. What is contained
    /// stays so, for nobody.
    private func valid(_ found: FoundIdentity) -> FoundIdentity? {
        if mayAct(found.giver, for: found.identity) { return found }
        return found.isContained ? found.forNobody : nil
    }

    /// Root, the daemon's user and the user that registered it may act for an account. Everyone may
    /// act for unmanaged identities, whose files are not encrypted.
    package func mayAct(_ user: UInt32, for identity: Identity) -> Bool {
        guard user != 0, user != geteuid() else { return true }
        // A wipe that has not completed still reserves the name.
        let holder =
            vault.registrant(of: identity) ?? vault.keyring.wipes.first(matching: identity)?.uid
        return (holder ?? user) == user
    }

    /// In single-identity mode the account that the user registered; otherwise nobody.
    package func defaultIdentity(ofUser user: UInt32) -> Identity {
        guard !vault.rules.settings.multiIdentity, let account = vault.defaultAccount(ofUser: user)
        else {
            return .nobody
        }
        return vault.identity(of: account)
    }

    /// The identities set for a session, except names that are now another user's accounts.
    package func identities(of session: LoginSession) -> [Identity]? {
        vault.sessions.identities(of: session)?.filter { mayAct(session.user, for: $0) }
    }

    /// The identity that a thread shows on the screen: its own, else the session's, else its
    /// process's. Nil if the session has several.
    package func interfaceIdentity(
        of session: LoginSession, thread: Int32
    ) -> (identity: Identity, source: FoundIdentity.Source?)? {
        let found = found(forThread: thread, user: session.user)
        guard found.source != .thread, let own = identities(of: session) else {
            return (found.identity, found.source)
        }
        return own.count > 1 ? nil : (own.first ?? .nobody, nil)
    }
}
