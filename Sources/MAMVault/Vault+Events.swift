// Sends events to listeners.

package import MAMModel
package import MAMSystem

package typealias EventSubscription = Subscription<AccountEvent>

extension Vault {
    /// Listens from now on.
    package func subscribe() throws(Errno) -> EventSubscription { try events.subscribe() }

    /// Tells all listeners; without an account, of the workspace.
    ///
    /// `last`: as it was, of an account that is not here any more.
    package func announce(
        _ kind: AccountEvent.Kind, _ account: AccountID? = nil, last: AccountStatus? = nil
    ) {
        metrics.count(kind)
        events.send(AccountEvent(kind: kind, account: account, last: last))
    }
}
