// Requests a session to show another identity, when a document or link of that identity arrives.

package import MAMIdentity
package import MAMModel
package import MAMSystem
internal import MAMTree
internal import MAMVault

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
