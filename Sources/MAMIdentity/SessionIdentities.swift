// Which accounts a login session shows. It decides nothing about files.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// The identities set for login sessions, and the accounts whose launch was cancelled there.
package final class SessionIdentities: Sendable {
    private struct State {
        var session: LoginSession
        /// Nil if nothing is set; an empty list means nobody.
        var identities: [Identity]?
        var canceled: Set<AccountID> = []
        /// The switches requested since the identities changed.
        var asked: Set<Asked> = []
    }

    private struct Asked: Hashable {
        /// Nil for an unmanaged identity.
        let account: AccountID?
        let reason: SwitchReason
    }

    package let switches = SwitchRequests()
    /// Most recently changed last.
    private let states = Mutex<[State]>([])

    /// The limit on sessions per user; beyond it the least recently changed is dropped.
    private static let sessionsOfUser = 64

    package init() {}

    package func identities(of session: LoginSession) -> [Identity]? {
        states.withLock { $0.first { $0.session == session }?.identities }
    }

    /// The accounts whose launch was cancelled in a session since it last succeeded.
    package func canceled(in session: LoginSession) -> Set<AccountID> {
        states.withLock { $0.first { $0.session == session }?.canceled ?? [] }
    }

    package func set(_ identities: [Identity]?, launched: [AccountID], of session: LoginSession) {
        change(session) { state in
            state.identities = identities
            state.canceled.subtract(launched)
            state.asked = []
        }
    }

    package func noteCanceled(_ account: AccountID, in session: LoginSession) {
        change(session) { $0.canceled.insert(account) }
    }

    /// False if it was already noted.
    package func noteAsked(
        _ account: AccountID?, _ reason: SwitchReason, in session: LoginSession
    ) -> Bool {
        var isNew = false
        change(session) { state in
            isNew = state.asked.insert(Asked(account: account, reason: reason)).inserted
        }
        return isNew
    }

    private func change(_ session: LoginSession, _ body: (inout State) -> Void) {
        states.withLock { states in
            let known = states.firstIndex { $0.session == session }
            var state = known.map { states.remove(at: $0) } ?? State(session: session)
            body(&state)
            states.append(state)
            let own = states.indices.filter { states[$0].session.user == session.user }
            if own.count > Self.sessionsOfUser { states.remove(at: own[0]) }
        }
    }

    /// Replaces an identity that no longer exists with nobody.
    package func forget(_ identity: Identity) {
        states.withLock { states in
            for index in states.indices {
                states[index].identities?.removeAll { $0.matches(identity) }
                states[index].asked = []
            }
        }
    }
}
