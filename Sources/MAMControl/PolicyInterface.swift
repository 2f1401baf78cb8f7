// io.mamd.Policy: policy decisions, for programs that enforce them. One function per method.

internal import MAMAudit
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire

/// Implements the interface. Stateless.
package struct PolicyInterface: VaultInterface, PolicyService {
    let tree: Tree
    private let documents: PolicyDocuments

    /// `store`: writes a document to the policy directory and applies it.
    package init(
        tree: Tree,
        store:
            @escaping @Sendable (
                _ document: [UInt8], _ name: String
            ) throws(VarlinkError) -> Void
    ) {
        self.tree = tree
        documents = PolicyDocuments(tree: tree, store: store)
    }

    private var transfers: PolicyTransfers { PolicyTransfers(tree: tree) }
    private var configuration: PolicyConfiguration { PolicyConfiguration(tree: tree) }

    package typealias Method = Varlink.Policy.Method

    package var name: String { Wire.name }

    package func cost(of method: String) -> CallCost {
        Wire.Method(rawValue: method) == .canReceive ? .long : .short
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        let reply = try carryOut(call)
        if let reply = reply as? any DecisionReply { log(reply.decision, call) }
        return reply
    }

    /// At debug level only: names are personal data.
    private func log(_ decision: Wire.Decision, _ call: VarlinkCall) {
        let account = call.parameters.members["account"]?.text.flatMap { vault.account(named: $0) }
        let name = account.map { " for \(vault.identity(of: $0))" } ?? ""
        let rule = decision.rule.map { " (\($0))" } ?? ""
        vault.log.debug(
            "uid \(call.peer.uid) asked \(call.method)\(name): \(decision.allowed ? "yes" : "no"),"
                + " \(decision.ownReason(in: vault))\(rule)")
    }

    private func carryOut(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .show: try documents.show(call)
        case .check: try documents.check(call)
        case .import: try documents.importDocument(call)
        case .ask: try ask(call)
        case .answers: try answers(call)
        case .canSave: try transfers.canSave(call)
        case .canOpen: try transfers.canOpen(call)
        case .saveLocations: try transfers.saveLocations(call)
        case .openLocations: try transfers.openLocations(call)
        case .canReceive: try transfers.canReceive(call)
        case .shareTargets: try transfers.shareTargets(call)
        case .canOpenURL: try transfers.canOpenURL(call)
        case .canCopy: try transfers.canCopy(call)
        case .canPaste: try transfers.canPaste(call)
        case .canPickDocuments: try canPickDocuments(call)
        case .notificationPolicy: try notificationPolicy(call)
        case .managedAccounts: try managedAccounts(call)
        case .managedPrograms: try managedPrograms(call)
        case .isManaged: try isManaged(call)
        case .sameIdentity: try sameIdentity(call)
        case .configuration: try configuration.all(call)
        case .configurationValue: try configuration.value(call)
        case .configurationConflict: try configuration.conflict(call)
        case .metrics: try metrics(call)
        }
    }

    private func metrics(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Metrics.Reply {
        _ = try call.request(Wire.Metrics.self)
        guard vault.sinks.metrics.isOn else {
            throw .refused("nothing is counted: MAMTelemetryDisabled is set")
        }
        return .init(text: vault.sinks.metrics.openMetrics)
    }
}
