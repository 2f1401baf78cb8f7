// Where events go: the log, the audit, the counters and the listeners.

package import MAMAudit
internal import MAMSettings
package import MAMSystem

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
