// io.mamd.Fleet over the vault, one function per method.

internal import MAMAudit
internal import MAMCrypto
internal import MAMFleet
internal import MAMKeyring
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface.
package struct FleetInterface: VaultInterface {
    typealias Wire = Varlink.Fleet

    let tree: Tree
    let reports: FleetReports
    private let readPolicies: @Sendable () -> Void

    /// `readPolicies`: puts what was accepted in force.
    package init(reports: FleetReports, readPolicies: @escaping @Sendable () -> Void) {
        (tree, self.reports, self.readPolicies) = (reports.tree, reports, readPolicies)
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .join: try join(call)
        case .leave: try leave(call)
        case .deliver: try deliver(call)
        case .show: try show(call)
        case .enrol: try enrol(call)
        case .status: try status(call)
        case .records: try records(call)
        case .audit: try audit(call)
        case .preview: try preview(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .join, .leave, .deliver, .status, .records, .audit, .preview: .long
        case .show, .enrol, nil: .short
        }
    }

    private func join(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Join.Reply {
        let request: Wire.Join = try call.request()
        try requireTrusted(call, toDo: "join an organisation")
        let root = Array(request.root.utf8)
        let organization = try organization(ofRoot: root)
        guard !vault.rules.settings.debugSettingsEnabled else {
            throw .refused("the setting DebugSettingsEnabled is on")
        }
        let machine = try reports.machineKey(for: organization)
        let fleet = try fleet()
        try withFleetErrors { () throws(FleetError) in
            try fleet.join(
                root, fingerprint: request.fingerprint, machine: Bytes16(ofKey: machine),
                (request.documents ?? []).map { Array($0.utf8) }, at: vault.clock.now.wallSeconds)
        }
        guard let standing = fleet.standing else { throw FleetReports.notJoined }
        let pinned = standing.rootDocument.envelope.fingerprint
        let words = "uid \(call.peer.uid) has joined \(standing.root.name), root \(pinned)"
        vault.audit(.joined, nil, words) { $0.reason = words }
        readPolicies()
        return .init(organization: try described(standing))
    }

    private func leave(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Leave.Reply {
        _ = try call.request(Wire.Leave.self)
        try requireTrusted(call, toDo: "leave an organisation")
        let keyring = vault.keyring
        let accounts = keyring.accounts.count + keyring.unreadableKeybags.count
        guard accounts == 0, keyring.wipes.all.isEmpty else {
            throw .refused(
                "there is still an account, and only the organisation may let it go: wipe it, or"
                    + " deliver the order to leave", next: "mamctl wipe ACCOUNT")
        }
        let fleet = try fleet()
        let name = fleet.standing?.root.name ?? "no organisation"
        try withFleetErrors { () throws(FleetError) in try fleet.leave() }
        let words = "uid \(call.peer.uid) has left \(name)"
        vault.audit(.left, nil, words) { $0.reason = words }
        readPolicies()
        return .init()
    }

    private func deliver(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Deliver.Reply {
        let request: Wire.Deliver = try call.request()
        try requireCarrier(call, toDo: "deliver documents")
        let fleet = try fleet()
        let effect = try withFleetErrors { () throws(FleetError) in
            try fleet.accept(Array(request.document.utf8), at: vault.clock.now.wallSeconds)
        }
        if effect != .nothing { readPolicies() }
        return .init(effect: effect.wire)
    }

    private func show(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Show.Reply {
        _ = try call.request(Wire.Show.self)
        guard let standing = vault.fleet?.standing else { return .init(organization: nil) }
        var organization = try described(standing)
        if !isCarrier(call.peer) {
            (organization.documents, organization.groups, organization.pending) = ([], [], 0)
            organization.settings = organization.settings.compactMap(\.told)
        }
        return .init(organization: organization)
    }

    // MARK: Parts

    private func fleet() throws(VarlinkError) -> Fleet {
        guard let fleet = vault.fleet else { throw .refused("this daemon joins no organisation") }
        return fleet
    }

    /// Before its signatures are checked: what ``Fleet/join(_:fingerprint:machine:)`` then accepts.
    private func organization(ofRoot root: [UInt8]) throws(VarlinkError) -> Bytes16 {
        try withFleetErrors { () throws(FleetError) in
            do throws(MAMFleet.Refusal) {
                return try Envelope(parsing: root).statement().organization
            } catch { throw .refused(error) }
        }
    }

    private func described(_ standing: MachineStanding) throws(VarlinkError) -> Wire.Organization {
        let documents = [standing.rootDocument] + standing.documents.values
        let policy = standing.newestPolicy?.statement
        return .init(
            id: standing.organization.description, name: standing.root.name,
            machine: standing.machine.description,
            publicKey: base64(try reports.machineKey(for: standing.organization)),
            rootSerial: Int(clamping: standing.rootDocument.statement.serial),
            fingerprint: standing.rootDocument.envelope.fingerprint,
            documents: documents.map { .init($0) }.sorted { $0.slot < $1.slot },
            groups: standing.membership.groups.sorted(),
            settings: vault.fleetSettings.map { .init($0) }, pending: standing.pending.count,
            problem: standing.staleness(at: vault.clock.now.wallSeconds)?.description,
            policySerial: policy.map { Int(clamping: $0.serial) },
            policyIssued: policy.map { Int(clamping: $0.issued) },
            contact: vault.rules.settingsInForce.asked.contact)
    }

    private func withFleetErrors<Value>(
        _ body: () throws(FleetError) -> Value
    ) throws(VarlinkError) -> Value {
        do throws(FleetError) { return try body() } catch {
            switch error {
            case .refused(let refusal):
                throw .refused("the document is refused: \(error)", by: refusal.kind)
            case .otherFingerprint, .notUnderstood:
                throw .refused("the document is refused: \(error)")
            case .notJoined, .joined, .readOnly: throw .refused("\(error)")
            case .notStored(let code): throw .systemError(code, "the standing")
            }
        }
    }
}

extension VarlinkError {
    /// Tells the carrier whether it is the organisation's document that is refused.
    fileprivate static func refused(
        _ reason: Message, by kind: MAMFleet.Refusal.Kind
    ) -> VarlinkError {
        VarlinkError(
            Varlink.Workspace.Refused(
                reason: reason.english, words: reason.wire, next: nil, by: kind.rawValue))
    }
}

extension Varlink.Fleet.Document {
    fileprivate init(_ document: SignedDocument) {
        let statement = document.statement
        self.init(
            slot: document.slot.description, serial: Int(clamping: statement.serial),
            issued: Int(clamping: statement.issued),
            expires: statement.expires.map { Int(clamping: $0) })
    }
}

extension Varlink.Fleet.Setting {
    /// To those who are told no more than why they are not compliant.
    fileprivate var told: Self? {
        guard let unmet else { return nil }
        return .init(key: key, value: "null", stricter: stricter, documents: [], unmet: unmet)
    }

    fileprivate init(_ setting: FleetSetting) {
        self.init(
            key: setting.key, value: String(decoding: setting.value.encoded(), as: UTF8.self),
            stricter: setting.isStricter,
            documents: setting.documents.map { "\($0.slot) \($0.serial)" }, unmet: setting.unmet)
    }
}

extension MachineStanding.Effect {
    fileprivate var wire: Varlink.Fleet.Effect {
        switch self {
        case .nothing: .nothing
        case .documents: .documents
        case .root: .root
        case .order: .order
        }
    }
}

// What the fleet service fetches: reports, signed with the machine's key.
extension FleetInterface {
    func enrol(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Enrol.Reply {
        let request: Wire.Enrol = try call.request()
        try requireTrusted(call, toDo: "enrol the machine")
        guard isName(request.invitation) else { throw .invalidParameter("invitation") }
        guard isTransportKey(request.transportKey) else { throw .invalidParameter("transportKey") }
        let organization = try reports.standing().1.organization
        let enrolment = EnrolmentRequest(
            invitation: request.invitation, transportKey: request.transportKey,
            publicKey: try reports.machineKey(for: organization), host: FleetReports.system.host)
        return .init(request: try reports.signed(.enrolment(enrolment)))
    }

    func status(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Status.Reply {
        _ = try call.request(Wire.Status.self)
        try requireCarrier(call, toDo: "have the machine's status signed")
        return .init(report: try reports.signedStatus())
    }

    /// Others than carriers get what other calls tell them, too, and the names of the rest.
    func preview(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Preview.Reply {
        _ = try call.request(Wire.Preview.self)
        let members = try reports.preview(for: call.peer.uid).members
        let told = isCarrier(call.peer) ? members : members.filter { Self.told.contains($0.key) }
        return .init(
            status: .object(told), withheld: members.keys.filter { told[$0] == nil }.sorted(),
            fetched: try reports.lastStatusTime().map { Int(clamping: $0) })
    }

    /// Not what all accounts together have caused, nor documents and orders, which Show keeps back.
    private static let told: Set = [
        "accounts", "contained", "facts", "host", "kernel", "mounted", "problem", "rootSerial",
        "version", "workspace",
    ]

    func records(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Records.Reply {
        _ = try call.request(Wire.Records.self)
        try requireCarrier(call, toDo: "fetch recovery records")
        return .init(
            records: try reports.recoveryRecords().map {
                .init(account: $0.account.description, report: $0.report)
            })
    }

    func audit(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Audit.Reply {
        let request: Wire.Audit = try call.request()
        try requireCarrier(call, toDo: "fetch the audit")
        guard request.after >= 0 else { throw .invalidParameter("after") }
        guard request.limit >= 1 else { throw .invalidParameter("limit") }
        let (report, last) = try reports.audit(
            after: Int64(request.after), atMost: request.limit)
        return .init(report: report, last: Int(clamping: last))
    }
}
