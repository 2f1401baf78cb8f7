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
        let account = call.account.flatMap { vault.account(named: $0) }
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

/// Answers calls of `io.mamd.Policy`.
protocol PolicyService: VaultService {}

extension PolicyService {
    typealias Wire = Varlink.Policy

    /// The account that a call names in `parameter`, else the identity that the caller acts for.
    /// Refused if the caller does not control the account.
    func principal(
        _ named: String?, in parameter: String = "account", _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        try namedPrincipal(named, in: parameter, call)
            ?? Transfers(vault).principal(of: identity(of: call.peer))
    }

    /// Nil if the call names none: that side is unknown or unmanaged.
    func namedPrincipal(
        _ named: String?, in parameter: String, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal? {
        guard let identity = try identity(named, in: parameter) else { return nil }
        try requireControl(call, of: identity)
        return Transfers(vault).principal(of: identity)
    }

    /// The principal of `account`, or of all `accounts` together: it gets the most restrictive
    /// value of each rule of the managed ones, and is nobody if none is managed.
    func principals(
        _ account: String?, _ accounts: [String]?, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        guard let accounts else { return try principal(account, call) }
        let named = try identities(accounts, in: "accounts", call)
            .map(Transfers(vault).principal)
        let managed = named.filter(\.isManaged)
        guard let first = managed.first else { return .nobody }
        return .managed(first.identity, .lockDown(of: managed.map(\.policy)))
    }

    /// The owner of data, named by the call or read from the file that it names; nil if the file
    /// has no owner. Refused if the caller does not control the owner: having a file permits
    /// knowing its owner, but not the owner's policy.
    func owner(_ named: String?, _ call: VarlinkCall) throws(VarlinkError) -> Principal? {
        guard call.parameters.has("path") || call.parameters.has("fileDescriptor") else {
            return try namedPrincipal(named, in: "owner", call)
        }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let info = try vaulted { () throws(VaultError) in
            try protection(of: file, call, in: tree)
        }
        if info.state == .damaged { throw .damaged(info.reason) }
        if info.state == .newer { throw .invalidInput(info.reason) }
        if info.owner.isNobody { return nil }
        try requireControl(call, ofFileOf: info.owner)
        return Transfers(vault).principal(of: info.owner)
    }

    /// Counts a decision and returns its wire form.
    func counted(_ decision: Decision) -> Wire.Decision {
        vault.sinks.metrics.count(decision.isAllowed ? .yesDecisions : .noDecisions)
        return Wire.Decision(decision)
    }
}
