// Requests a session to show another identity, when a document or link of that identity arrives.

package import MAMIdentity
package import MAMModel
package import MAMSystem
internal import MAMTree
internal import MAMVault

extension Switch {
    /// Notifies listeners that a session should show an identity, unless it already does, or was
    /// notified since its identity changed. Does nothing for a session without an identity, of
    /// which nothing is known. Unmanaged identities count as one: no policy distinguishes them.
    package func requireSwitch(
        of session: LoginSession, to identity: Identity, because reason: SwitchReason
    ) {
        guard let shown = Callers(vault).identities(of: session) else { return }
        let accounts = shown.compactMap { vault.account(of: $0) }
        let target = vault.account(of: identity)
        let isShown =
            target.map(accounts.contains) ?? (shown.isEmpty || accounts.count < shown.count)
        guard !isShown, let about = target ?? accounts.first,
            vault.sessions.noteAsked(target, reason, in: session)
        else { return }
        let name = target.map { vault.identity(of: $0).description } ?? ""
        vault.announce(
            .identitySwitchRequired(session: session.name, to: name, because: reason), about)
    }
}
