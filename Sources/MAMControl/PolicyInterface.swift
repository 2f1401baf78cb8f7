// io.mamd.Policy: what policy says, to the programs that can act on it. One method of the interface
// is one function here.

package import MAMModel
internal import MAMPolicy
package import MAMSystem
package import MAMTree
package import MAMVault
internal import MAMWire

/// Answers the socket. Holds no state of its own.
package struct PolicyInterface: VaultInterface, PolicyService {
    let vault: Vault
    let tree: Tree
    private let documents: PolicyDocuments

    /// `store`: puts a document under a name into the policy directory, and into force; returns why
    /// it could not.
    package init(
        vault: Vault, tree: Tree,
        store: @escaping @Sendable (_ document: [UInt8], _ name: String) -> Errno?
    ) {
        self.vault = vault
        self.tree = tree
        documents = PolicyDocuments(vault: vault, tree: tree, store: store)
    }

    private var transfers: PolicyTransfers { PolicyTransfers(vault: vault, tree: tree) }
    private var configuration: PolicyConfiguration { PolicyConfiguration(vault: vault, tree: tree) }

    package var name: String { Varlink.Policy.name }
    package var description: String { Varlink.Policy.text }

    package func answer(_ call: VarlinkCall) throws -> [String: JSONValue] {
        let reply = try carryOut(call)
        if let decision = reply["decision"] { logDecision(decision, call) }
        return reply
    }

    /// Names and URLs are personal: only where the log may hold such.
    private func logDecision(_ decision: JSONValue, _ call: VarlinkCall) {
        vault.log.debug(
            "uid \(call.peer.uid) asked \(call.method) \(text(.object(call.parameters.members))): \(text(decision))"
        )
    }

    private func text(_ json: JSONValue) -> String {
        String(decoding: json.encoded(), as: UTF8.self)
    }

    private func carryOut(_ call: VarlinkCall) throws -> [String: JSONValue] {
        switch call.method {
        case "Show": try documents.show(call)
        case "Check": try documents.check(call)
        case "Import": try documents.importDocument(call)
        case "Ask": try ask(call)
        case "Answers": try answers(call)
        case "CanSave": try transfers.canSave(call)
        case "CanOpen": try transfers.canOpen(call)
        case "SaveLocations": try transfers.saveLocations(call)
        case "OpenLocations": try transfers.openLocations(call)
        case "CanReceive": try transfers.canReceive(call)
        case "ShareTargets": try transfers.shareTargets(call)
        case "CanOpenURL": try transfers.canOpenURL(call)
        case "CanCopy": try transfers.canCopy(call)
        case "CanPaste": try transfers.canPaste(call)
        case "CanPickDocuments": try canPickDocuments(call)
        case "NotificationPolicy": try notificationPolicy(call)
        case "ManagedAccounts": try managedAccounts(call)
        case "IsManaged": try isManaged(call)
        case "SameIdentity": try sameIdentity(call)
        case "Configuration": try configuration.all(call)
        case "ConfigurationValue": try configuration.value(call)
        case "ConfigurationConflict": try configuration.conflict(call)
        case "Metrics": try metrics(call)
        default: throw VarlinkError.methodNotFound(call.method)
        }
    }

    private func metrics(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        guard vault.metrics.isOn else {
            throw .refused("nothing is counted: MAMTelemetryDisabled is set")
        }
        return ["text": .string(vault.metrics.openMetrics)]
    }
}
