// `fleet join`, `leave`, `deliver` and `show`.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

let fleetMachineVerbs: [Verb] = [
    Verb(
        name: "fleet join", summary: "Obey an organisation's signed documents only",
        usage: ["CODE|ROOT", ["--wait"], ["--fingerprint"], [.many("DOCUMENT", most: 999)]],
        options: [
            Option(
                "fingerprint", value: "HEX",
                "the root's, which the organisation tells by another way than ROOT"),
            .wait,
            .workspace,
        ],
        examples: [
            "mamctl fleet join mamd1:eyJ…", "mamctl fleet join - < code",
            "mamctl fleet join contoso.root --fingerprint 3f0c…",
            "mamctl fleet join contoso.root level2.signed time.signed --fingerprint 3f0c…",
        ],
        statuses: daemonStatuses + [.refused], run: joinFleet),
    Verb(
        name: "fleet leave", summary: "Leave the organisation, once no account is left",
        options: [.workspace],
        examples: ["mamctl fleet leave", "mamctl fleet leave --workspace Work"],
        statuses: daemonStatuses + [.refused], run: leaveFleet),
    Verb(
        name: "fleet deliver", summary: "Hand signed documents to the daemon",
        usage: [.many("DOCUMENT", most: 1000)], options: [.workspace],
        examples: [
            "mamctl fleet deliver level2.signed", "mamctl fleet deliver /media/stick/*.signed",
        ],
        statuses: daemonStatuses + [.refused], run: deliverDocuments),
    Verb(
        name: "fleet show", summary: "Show the organisation, and which of its documents are here",
        options: [.workspace],
        examples: ["mamctl fleet show", "mamctl fleet show --json | jq .organization.problem"],
        statuses: daemonStatuses, run: showFleet),
]

private typealias Wire = Varlink.Fleet

/// A call takes a mebibyte, in which the documents are quoted texts.
private let joinByteCount = 800 << 10

func joinFleet(_ invocation: Invocation) throws -> ExitStatus {
    if isInvitation(invocation.operands[0]) { throw try joinByCode(invocation) }
    guard !invocation.arguments.has("wait") else {
        throw invocation.misuse("--wait goes with the code of an invitation")
    }
    guard let fingerprint = try invocation.arguments.text("fingerprint") else {
        throw Failure(
            .usage, "the fingerprint of the root is needed, as the organisation tells it",
            next: "mamctl fleet join ROOT --fingerprint HEX")
    }
    let daemon = try invocation.daemon()
    let (root, others) = try rootAndOthers(invocation.operands, fingerprint)
    var byteCount = root.text.utf8.count
    let first = others.prefix { document in
        byteCount += document.text.utf8.count
        return byteCount <= joinByteCount
    }
    let organization = try daemon.call(
        Wire.Join(root: root.text, fingerprint: fingerprint, documents: first.map(\.text)),
        about: .verbatim(invocation.operands[0].shown)
    ).organization
    if invocation.isJSON {
        printJSON(organization.json)
    } else {
        printOut("joined \(shown(organization.name)) as machine \(organization.machine)")
        if let problem = organization.problem { printError("check-ins fail: \(shown(problem))") }
    }
    return deliver(others.dropFirst(first.count), to: daemon)
}

/// Of a bundle of roots the one with the fingerprint; later ones are documents, and no machine that
/// has it needs earlier ones.
private func rootAndOthers(
    _ files: [ByteString], _ fingerprint: String
) throws(Failure) -> (FleetBundle.Document, [FleetBundle.Document]) {
    let roots = try FleetBundle(reading: files[0]).documents
    let pinned = roots.first { $0.envelope?.fingerprint == fingerprint.lowercased() }
    guard let root = pinned ?? roots.last else {
        throw Failure(
            .usage, "\(files[0].shown) has no document", next: "mamctl fleet verify FILE")
    }
    var others = roots
    for file in files.dropFirst() { others += try FleetBundle(reading: file).documents }
    let serial = root.rootSerial ?? 0
    others.removeAll { document in document.rootSerial.map { $0 <= serial } ?? false }
    // Their keys sign the others.
    let newer = others.filter { $0.rootSerial != nil }
    return (root, newer + others.filter { $0.rootSerial == nil })
}

/// What did not fit into the call.
private func deliver(
    _ documents: ArraySlice<FleetBundle.Document>, to daemon: Daemon
) -> ExitStatus {
    var status = ExitStatus.success
    for document in documents {
        do throws(Failure) {
            try daemon.call(Wire.Deliver(document: document.text), about: .verbatim(document.name))
        } catch {
            if status == .success { status = error.status }
            printError(verbatim: shown(error.message.translated))
        }
    }
    return status
}

func leaveFleet(_ invocation: Invocation) throws -> ExitStatus {
    _ = try invocation.daemon().call(Wire.Leave())
    if invocation.isJSON { printJSON([:]) } else { printOut("left") }
    return .success
}

/// All are tried; the status is the first failure's.
func deliverDocuments(_ invocation: Invocation) throws -> ExitStatus {
    let daemon = try invocation.daemon()
    var status = ExitStatus.success
    var documents: [JSONValue] = []
    func tell(_ path: ByteString, _ document: String?, _ outcome: Result<Wire.Effect, Failure>) {
        var members: [String: JSONValue] = ["path": .string(path.shown)]
        members["document"] = document.map { .string($0) }
        switch outcome {
        case .success(let effect):
            members["effect"] = effect.json
            let subject = path.shown + (document.map { ", \($0)" } ?? "")
            if !invocation.isJSON { printOut("\(subject): \(meaning(of: effect))") }
        case .failure(let failure):
            members["refused"] = .string(failure.message.english)
            if status == .success { status = failure.status }
            if !invocation.isJSON { printError(verbatim: shown(failure.message.translated)) }
        }
        documents.append(.object(members))
    }
    for file in invocation.operands {
        do throws(Failure) {
            let bundle = try FleetBundle(reading: file)
            for document in bundle.documents {
                let name = bundle.isBundle ? document.name : nil
                tell(
                    file, name,
                    Result { () throws(Failure) in
                        try deliver(document, of: bundle, to: daemon)
                    })
            }
        } catch { tell(file, nil, .failure(error)) }
    }
    if invocation.isJSON { printJSON(["documents": .array(documents)]) }
    return status
}

private func deliver(
    _ document: FleetBundle.Document, of bundle: FleetBundle, to daemon: Daemon
) throws(Failure) -> Wire.Effect {
    // A bundle has all roots, for those that were away. The daemon would refuse an older one.
    if bundle.isBundle, let serial = document.rootSerial,
        let organization = try daemon.call(Wire.Show()).organization,
        serial < organization.rootSerial
    {
        return .nothing
    }
    return try daemon.call(
        Wire.Deliver(document: document.text), about: .verbatim(bundle.shown(document))
    ).effect
}

private func meaning(of effect: Wire.Effect) -> Message {
    switch effect {
    case .nothing: "known"
    case .order: "accepted; the order is obeyed now"
    case .documents, .root: "accepted"
    }
}

func showFleet(_ invocation: Invocation) throws -> ExitStatus {
    let reply = try invocation.daemon().call(Wire.Show())
    if invocation.isJSON {
        printJSON(reply.json)
        return .success
    }
    guard let organization = reply.organization else {
        printOut("this workspace has joined no organisation")
        return .success
    }
    let contact: [[Message]] =
        organization.contact.map { [["contact", .verbatim(shown($0))]] } ?? []
    printOut(
        verbatim: table(
            [
                ["organisation", .verbatim(shown(organization.name)), .verbatim(organization.id)],
                ["machine", .verbatim(organization.machine)],
                ["root", "\(organization.rootSerial)"],
                ["fingerprint", .verbatim(organization.fingerprint)],
            ] + contact))
    printOut(
        verbatim: table(
            organization.documents.map { document in
                let expires: Message =
                    document.expires.map { "expires \(rfc3339(Int64($0)))" } ?? ""
                return ["  \(document.slot)", "\(document.serial)", expires]
            }))
    if !organization.settings.isEmpty {
        printOut(verbatim: table(organization.settings.map(\.row)))
    }
    if organization.pending > 0 { printOut("orders under way: \(organization.pending)") }
    if let problem = organization.problem { printOut("check-ins fail: \(shown(problem))") }
    return .success
}

extension Wire.Setting {
    /// What is in force, and whose word that is.
    fileprivate var row: [Message] {
        let whose: Message =
            stricter
            ? "asked by \(documents.joined(separator: ", "))"
            : "the machine's own, no laxer than \(documents.joined(separator: ", "))"
        return [
            "  \(key)", .verbatim(shown(value)), unmet.map { "not done: \(shown($0))" } ?? whose,
        ]
    }
}
