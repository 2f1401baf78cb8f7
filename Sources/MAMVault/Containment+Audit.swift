// Counts and records what containment refuses.

internal import MAMAudit
package import MAMModel
internal import MAMSystem

extension Containment {
    /// Records a call on the socket that containment refused. `path`: of the file that it is about.
    package func noteRefused(
        _ operation: String, of identity: Identity, by process: Int32, user: UInt32,
        _ reason: String, at path: ByteString? = nil
    ) {
        vault.sinks.metrics.count(.containmentCalls)
        let key = AuditKey(
            .refused, user: user, thread: process,
            file: UInt64(UInt(bitPattern: path?.hashValue ?? 0)),
            operation: operation, account: identity.description, reason: reason)
        vault.sinks.trail.add(key) {
            AuditRecord(
                .refused, of: identity.isNobody ? nil : identity.description,
                registrant: vault.registrant(of: identity), path: path?.shown,
                operation: operation, reason: reason, rule: AuditRecord.containment)
        }
        vault.sinks.trail.noteRefusal()
    }
}

extension VaultError {
    /// Whether data was to stay with contained programs.
    var isOfContainment: Bool {
        if case .refused(_, _, AuditRecord.containment) = self { true } else { false }
    }
}
