// For whom people work on the screen, by login session. It decides nothing about files.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// The identities that were set for login sessions, and the accounts whose launch was given up
/// there.
package final class SessionIdentities: Sendable {
    private struct State {
        var session: LoginSession
        /// Nil if nothing is set; an empty list stands for nobody.
        var identities: [Identity]?
        var canceled: Set<AccountID> = []
        /// What was told to be shown instead since the identities changed.
        var asked: Set<Asked> = []
    }

    private struct Asked: Hashable {
        /// Nil for an unmanaged identity.
        let account: AccountID?
        let reason: SwitchReason
    }

    /// Latest change last.
    private let states = Mutex<[State]>([])

    /// A user's sessions beyond these are forgotten, the one first that was changed longest ago.
    private static let sessionsOfUser = 64

    package init() {}

    package func identities(of session: LoginSession) -> [Identity]? {
        states.withLock { $0.first { $0.session == session }?.identities }
    }

    /// The accounts whose launch was given up in a session since it last succeeded.
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

    /// False if that was noted before.
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

    /// Makes nobody of an identity that is gone.
    package func forget(_ identity: Identity) {
        states.withLock { states in
            for index in states.indices {
                states[index].identities?.removeAll { $0.matches(identity) }
                states[index].asked = []
            }
        }
    }
}
