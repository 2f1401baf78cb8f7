// Under which identity a thread or a session acts.

internal import Glibc
internal import MAMCrypto
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMStore
package import MAMSystem

/// Tells under which identity a thread or a session acts.
package struct Callers: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// The file identity of a caller: its thread's, else its process's, else its user's default.
    package func identity(ofThread thread: Int32, user: UInt32) -> Identity {
        found(forThread: thread, user: user).identity
    }

    /// The same where something is made: `place` says whose it is if neither thread nor process
    /// does.
    package func identity(
        ofThread thread: Int32, user: UInt32, orOf place: () -> Identity?
    ) -> Identity {
        given(toThread: thread)?.identity
            ?? place().flatMap { mayKeep(contentOf: user, $0) ? $0 : nil }
            ?? defaultIdentity(ofUser: user)
    }

    /// False for a directory's account that another user registered: that user could lock and
    /// destroy what is not theirs. Root's accounts are anybody's to write for.
    private func mayKeep(contentOf user: UInt32, _ owner: Identity) -> Bool {
        vault.registrant(of: owner) == 0 || mayAct(user, for: owner)
    }

    /// The same, and where it comes from.
    package func found(forThread thread: Int32, user: UInt32) -> FoundIdentity {
        given(toThread: thread)
            ?? FoundIdentity(
                identity: defaultIdentity(ofUser: user), source: .userDefault, giver: user)
    }

    /// What a thread was given, by whatever way; nil for nothing. A name that was no account when
    /// it was given may be another user's by now, and counts no more: what was plain stays its
    /// user's, and gets into no other's hands.
    private func given(toThread thread: Int32) -> FoundIdentity? {
        guard let found = vault.identities.found(forThread: thread),
            mayAct(found.giver, for: found.identity)
        else { return nil }
        return found
    }

    /// An account answers to root, to the daemon's user and to the user that registered it.
    /// Identities that are no account answer to everyone: their files are not encrypted.
    package func mayAct(_ user: UInt32, for identity: Identity) -> Bool {
        guard user != 0, user != geteuid() else { return true }
        // A wipe that does not come to its end keeps the name.
        let holder =
            vault.registrant(of: identity) ?? vault.keyring.wipes.first(matching: identity)?.uid
        return (holder ?? user) == user
    }

    /// In single-identity mode the account that the user registered; otherwise nobody.
    package func defaultIdentity(ofUser user: UInt32) -> Identity {
        guard !vault.settings.multiIdentity, let account = vault.defaultAccount(ofUser: user) else {
            return .nobody
        }
        return vault.identity(of: account)
    }

    /// What was set for a session, but for names that are another user's accounts by now.
    package func identities(of session: LoginSession) -> [Identity]? {
        vault.sessions.identities(of: session)?.filter { mayAct(session.user, for: $0) }
    }

    /// For whom a thread works on the screen: its own identity, else the session's, else its
    /// process's. Nil where the session has several.
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
