// Switching the identity that people work for on the screen.

internal import MAMAudit
package import MAMCrypto
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMSystem

/// `IntuneMAMSwitchIdentityResult`.
package enum SwitchResult: Int, Sendable {
    case success, canceled, notAllowed, failed

    package var word: String {
        switch self {
        case .success: "success"
        case .canceled: "canceled"
        case .notAllowed: "notAllowed"
        case .failed: "failed"
        }
    }
}

/// What came of a switch, in a sentence too.
package struct IdentitySwitch: Sendable {
    package let result: SwitchResult
    package let reason: String
}

extension Vault {
    /// Sets a session's identities after the launch of each managed account among them; nil takes
    /// them back, an empty list is nobody. Nothing changes unless it succeeds.
    ///
    /// `thread`: who asks. A thread with an identity of its own keeps it on the screen too.
    package func switchSession(
        _ session: LoginSession, to identities: [Identity]?, thread: Int32,
        passphrase: SecretBytes? = nil
    ) -> IdentitySwitch {
        if let refusal = refusal(of: identities, thread: thread) { return refusal }
        let accounts = (identities ?? []).compactMap { account(of: $0) }
        for account in accounts {
            let identity = keyring.identity(of: account)
            announce(.uiTaken(session: session.name), account)
            let launch = prepareLaunch(account, passphrase: passphrase)
            announce(.uiReleased(session: session.name), account)
            switch launch {
            case .ready: break
            case .canceled(let reason):
                sessions.noteCanceled(account, in: session)
                let target = nameBeside(account, in: session)
                announce(
                    .identitySwitchRequired(
                        session: session.name, to: target, because: .launchCanceled), account)
                return IdentitySwitch(result: .canceled, reason: "\(identity): \(reason)")
            case .failed(let reason):
                return IdentitySwitch(result: .failed, reason: "\(identity): \(reason)")
            }
        }
        let spelled = identities.map { $0.filter { !$0.isNobody }.map(canonical) }
        sessions.set(spelled, launched: accounts, of: session)
        auditSwitch(of: session, to: accounts)
        return IdentitySwitch(result: .success, reason: "")
    }

    /// For whom a session goes on, if it cannot for an account: somebody else whom it shows
    /// already, or nobody.
    private func nameBeside(_ account: AccountID, in session: LoginSession) -> String {
        let beside = identities(of: session)?.first { self.account(of: $0) != account }
        return beside.map { $0.name.isEmpty ? $0.objectID : $0.name } ?? ""
    }

    private func auditSwitch(of session: LoginSession, to accounts: [AccountID]) {
        for account in accounts {
            audit(.userInterface, account, "\(session.name) shows \(identity(of: account))") {
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
        if let own = self.identities.threadIdentity(thread),
            !wanted.allSatisfy({ isSame($0, own) })
        {
            return notAllowed("the calling thread works for \(own)")
        }
        guard !settings.multiManagedIdentities else { return nil }
        if wanted.count > 1 {
            return notAllowed("several identities need the setting MultiManagedIdentities")
        }
        let other = wanted.lazy.compactMap { self.account(of: $0) }.compactMap { account in
            self.keyring.uid(of: account).flatMap { self.defaultAccount(ofUser: $0) }
                .flatMap { $0 == account ? nil : $0 }
        }.first
        guard let other else { return nil }
        return notAllowed(
            "\(keyring.identity(of: other)) is managed, and a second managed account needs the"
                + " setting MultiManagedIdentities"
        )
    }

    /// True for two forms of one identity.
    private func isSame(_ one: Identity, _ other: Identity) -> Bool {
        if let account = account(of: one) { return account == self.account(of: other) }
        return one.matches(other)
    }

    /// What was set for a session, but for names that are another user's accounts by now.
    package func identities(of session: LoginSession) -> [Identity]? {
        sessions.identities(of: session)?.filter { mayAct(session.user, for: $0) }
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
