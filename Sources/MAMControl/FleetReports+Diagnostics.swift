// What an order has the next statuses tell about the daemon: counts and states, no names but those
// of settings and counters.

internal import MAMAudit
internal import MAMKeyring
internal import MAMLocks
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWorkspace

extension FleetReports {
    /// More than one status has them: the first may get lost.
    private static let diagnosticsSeconds: Int64 = 86_400

    /// Nil if no order asks for them.
    func diagnostics(at now: Int64) -> JSONValue? {
        if let fleet = vault.fleet, Orders(tree).endDiagnostics(of: fleet) {
            diagnosticsEnd.withLock { $0 = now + Self.diagnosticsSeconds }
        }
        guard now < diagnosticsEnd.withLock({ $0 }) else { return nil }
        let keyring = vault.keyring
        let transport = tree.isServed ? tree.transport : nil
        return [
            "counters": .object(vault.sinks.metrics.counters.mapValues { .integer($0) }),
            "settings": .array(
                Settings().keysForNextStart(in: vault.rules.settings).sorted().map { .string($0) }),
            "transport": transport.map { .string($0.way.rawValue) } ?? .null,
            "readOnly": .bool(tree.isReadOnly), "openFiles": JSONValue(vault.openFileCount),
            "refusedDocuments": JSONValue(vault.refusedDocuments.count),
            "unreadableKeybags": JSONValue(keyring.unreadableKeybags.count),
            "unfinishedWipes": JSONValue(keyring.wipes.all.count),
            "needsImport": .bool(Unopened(tree).needsImport),
        ]
    }
}
