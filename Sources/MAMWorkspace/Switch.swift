// Switches the identity that a session shows on the screen.

internal import MAMAudit
package import MAMCrypto
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
package import MAMSystem
package import MAMTree
internal import MAMVault

/// Switches the identity that a session shows on the screen.
package struct Switch: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Sets a session's identities after launching each managed account among them; nil removes
    /// them, an empty list means nobody. On failure nothing changes.
    ///
    /// `thread`: the caller. A thread with its own identity also shows that.
    package func switchSession(
        _ session: LoginSession, to identities: [Identity]?, thread: Int32,
        passphrase: SecretBytes? = nil
    ) -> IdentitySwitch {
        if let refusal = refusal(of: identities, thread: thread) { return refusal }
        let accounts = (identities ?? []).compactMap { vault.account(of: $0) }
        for account in accounts {
            let identity = vault.identity(of: account)
            vault.announce(.uiTaken(session: session.name), account)
            let launch = LaunchChecks(tree).prepareLaunch(account, passphrase: passphrase)
            vault.announce(.uiReleased(session: session.name), account)
            switch launch {
            case .ready: break
            case .canceled(let reason):
                vault.sessions.noteCanceled(account, in: session)
                let target = nameBeside(account, in: session)
                vault.announce(
                    .identitySwitchRequired(
                        session: session.name, to: target, because: .launchCanceled), account)
                return IdentitySwitch(result: .canceled, reason: "\(identity): \(reason)")
            case .failed(let reason):
                return IdentitySwitch(result: .failed, reason: "\(identity): \(reason)")
            }
        }
        let spelled = identities.map { $0.filter { !$0.isNobody }.map(vault.canonical) }
        vault.sessions.set(spelled, launched: accounts, of: session)
        auditSwitch(of: session, to: accounts)
        return IdentitySwitch(result: .success, reason: "")
    }

    /// The identity that a session falls back to if an account cannot be shown: another that it
    /// already shows, or nobody.
    private func nameBeside(_ account: AccountID, in session: LoginSession) -> String {
        let beside = Callers(vault).identities(of: session)?.first {
            vault.account(of: $0) != account
        }
        return beside.map { $0.name.isEmpty ? $0.objectID : $0.name } ?? ""
    }

    private func auditSwitch(of session: LoginSession, to accounts: [AccountID]) {
        for account in accounts {
            vault.audit(
                .userInterface, account, "\(session.name) shows \(vault.identity(of: account))"
            ) {
                $0.reason = session.name
            }
        }
    }

    private func refusal(of identities: [Identity]?, thread: Int32) -> IdentitySwitch? {
        guard let identities else { return nil }
        func notAllowed(_ reason: String) -> IdentitySwitch {
            IdentitySwitch(result: .notAllowed, reason: reason)
        }
        let wanted = identities.isEmpty ? [Identity.nobody] : identities
        if let own = vault.identities.threadIdentity(thread),
            !wanted.allSatisfy({ isSame($0, own) })
        {
            return notAllowed("the calling thread works for \(own)")
        }
        guard !vault.rules.settings.multiManagedIdentities else { return nil }
        if wanted.count > 1 {
            return notAllowed("several identities need the setting MultiManagedIdentities")
        }
        let other = wanted.lazy.compactMap { vault.account(of: $0) }.compactMap { account in
            vault.keyring.uid(of: account).flatMap { vault.defaultAccount(ofUser: $0) }
                .flatMap { $0 == account ? nil : $0 }
        }.first
        guard let other else { return nil }
        return notAllowed(
            "\(vault.identity(of: other)) is managed, and a second managed account needs the"
                + " setting MultiManagedIdentities"
        )
    }

    /// True for two spellings of one identity.
    private func isSame(_ one: Identity, _ other: Identity) -> Bool {
        if let account = vault.account(of: one) { return account == vault.account(of: other) }
        return one.matches(other)
    }
}

/// The result of a switch, with a sentence.
package struct IdentitySwitch: Sendable {
    package let result: SwitchResult
    package let reason: String
}

// Requests a session to show another identity, when a document or link of that identity arrives.
extension Switch {
    /// Asks the session's programs to show an identity, unless it already does: those that answer,
    /// for which the result waits, each time, and listeners once since its identity changed. Does
    /// nothing for a session that has set no identity: what it shows is unknown. Unmanaged
    /// identities count as one: no policy distinguishes them.
    ///
    /// Nil: there is nothing to wait for.
    package func requireSwitch(
        of session: LoginSession, to identity: Identity, because reason: SwitchReason
    ) throws(Errno) -> WaitingSwitch? {
        guard let shown = Callers(vault).identities(of: session) else { return nil }
        let accounts = shown.compactMap { vault.account(of: $0) }
        let target = vault.account(of: identity)
        let isShown =
            target.map(accounts.contains) ?? (shown.isEmpty || accounts.count < shown.count)
        guard !isShown, let about = target ?? accounts.first else { return nil }
        let name = target.map { vault.identity(of: $0).description } ?? ""
        if vault.sessions.noteAsked(target, reason, in: session) {
            vault.announce(
                .identitySwitchRequired(session: session.name, to: name, because: reason), about)
        }
        return try vault.sessions.switches.ask(session, for: name, because: reason)
    }
}
