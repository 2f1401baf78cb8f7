// Sends events to listeners and to the audit.

package import MAMAudit
internal import MAMKeyring
package import MAMModel
internal import MAMSettings
internal import MAMStore
package import MAMSystem

package typealias EventSubscription = Subscription<AccountEvent>

extension Vault {
    package var log: Log { sinks.log }

    /// Records an event of an account, or of the workspace, in the log and in the audit.
    ///
    /// `text`: the log's line. `change`: sets further fields of the record.
    package func audit(
        _ event: LogMessage, _ account: AccountID? = nil, _ text: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) {
        audit(
            event, account.map { keyring.identity(of: $0) }, of: account.flatMap(keyring.uid), text,
            change)
    }

    /// For an account that may no longer exist. `user`: the user that registered it.
    package func audit(
        _ event: LogMessage, _ identity: Identity?, of user: UInt32?, _ text: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) {
        var record = AuditRecord(event, of: identity?.description, registrant: user)
        change(&record)
        log.tell(event, sinks.trail.add(record), text)
    }

    /// Subscribes to events.
    package func subscribe() throws(Errno) -> EventSubscription { try sinks.listeners.subscribe() }

    /// Sends an event to all listeners; without an account, it concerns the workspace.
    ///
    /// `last`: the last status of an account that no longer exists.
    package func announce(
        _ kind: AccountEvent.Kind, _ account: AccountID? = nil, last: AccountStatus? = nil
    ) {
        sinks.metrics.count(kind)
        sinks.listeners.send(AccountEvent(kind: kind, account: account, last: last))
    }
}

/// One workspace's. Written by ``Vault/audit(_:_:_:_:)`` and ``Vault/announce(_:_:last:)``.
package struct EventSinks: Sendable {
    package let log: Log
    package let trail: AuditTrail
    package let metrics: Metrics
    let listeners = Hub<AccountEvent>()

    /// `stateDirectory`: nil to keep the audit in memory.
    init(_ settings: Settings, in stateDirectory: Int32?, _ log: Log) {
        self.log = log
        trail = AuditTrail(
            inState: stateDirectory, maximumByteCount: settings.auditMiB << 20, log: log)
        metrics = Metrics(isOn: !settings.telemetryDisabled)
    }
}
