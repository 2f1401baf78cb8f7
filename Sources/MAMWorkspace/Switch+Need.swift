// When a session is to show another identity than it does: a document or a link of that one's came.

package import MAMIdentity
package import MAMModel
package import MAMSystem
internal import MAMTree
internal import MAMVault

extension Switch {
    /// Tells who listens that a session is to show an identity, unless it does, or that was told
    /// since the session's identity changed. Of a session for which nobody set one nothing is
    /// known, and nothing told. Unmanaged identities are one here: no policy tells them apart.
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
