// Sends events to listeners and to the audit.

package import MAMAudit
internal import MAMKeyring
package import MAMModel
internal import MAMStore
package import MAMSystem

package typealias EventSubscription = Subscription<AccountEvent>

extension Vault {
    /// Something happened to an account, or to the workspace: in the log and in the audit.
    ///
    /// `text`: the log's line. `change`: what else the record has.
    package func audit(
        _ event: LogMessage, _ account: AccountID? = nil, _ text: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) {
        audit(
            event, account.map { keyring.identity(of: $0) }, of: account.flatMap(keyring.uid), text,
            change)
    }

    /// The same of an account that may be gone. `user`: who registered it.
    package func audit(
        _ event: LogMessage, _ identity: Identity?, of user: UInt32?, _ text: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) {
        var record = AuditRecord(event)
        record.account = identity?.description
        record.registrant = user
        change(&record)
        log.tell(event, trail.add(record), text)
    }

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
