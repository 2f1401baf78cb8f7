// `fleet join`, `leave`, `deliver` and `show`.

internal import Glibc
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Fleet

func joinFleet(_ invocation: Invocation) throws -> ExitStatus {
    guard let fingerprint = try invocation.arguments.text("fingerprint") else {
        throw Failure(
            .usage, "the fingerprint of the root is needed, as the organisation tells it",
            next: "mamctl fleet join ROOT --fingerprint HEX")
    }
    let daemon = try invocation.daemon()
    let root = invocation.operands[0]
    let text = try document(root)
    let documents = try invocation.operands.dropFirst().map { try document($0) }
    let organization = try daemon.call(
        Wire.Join(root: text, fingerprint: fingerprint, documents: documents), about: root.shown
    ).organization
    if invocation.isJSON {
        printJSON(organization.json)
    } else {
        printOut("joined \(shown(organization.name)) as machine \(organization.machine)")
        if let problem = organization.problem { printError("check-ins fail: \(shown(problem))") }
    }
    return .success
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
    var told: [JSONValue] = []
    for file in invocation.operands {
        do {
            let effect = try deliver(file, to: daemon)
            told.append(["path": .string(file.shown), "effect": .string(effect)])
            if !invocation.isJSON { printOut("\(file.shown): \(meaning(of: effect))") }
        } catch let failure as Failure {
            if status == .success { status = failure.status }
            told.append(["path": .string(file.shown), "refused": .string(failure.message)])
            if !invocation.isJSON { printError(shown(failure.message)) }
        }
    }
    if invocation.isJSON { printJSON(["documents": .array(told)]) }
    return status
}

private func deliver(_ file: ByteString, to daemon: Daemon) throws -> String {
    try daemon.call(Wire.Deliver(document: try document(file)), about: file.shown).effect
}

private func meaning(of effect: String) -> String {
    switch effect {
    case "nothing": "known"
    case "order": "accepted; the order is obeyed now"
    default: "accepted"
    }
}

private func document(_ file: ByteString) throws -> String {
    let bytes = try naming(file) { () throws(Errno) in
        try readSmallFile(file.cString, maximumByteCount: Envelope.maximumByteCount)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw Failure(
            .usage, "\(file.shown) is no signed document", next: "mamctl fleet verify FILE")
    }
    return text
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
    printOut(
        table([
            ["organisation", shown(organization.name), organization.id],
            ["machine", organization.machine], ["root", "\(organization.rootSerial)"],
            ["fingerprint", organization.fingerprint],
        ]))
    printOut(
        table(
            organization.documents.map { document in
                let expires = document.expires.map { "expires \(rfc3339(Int64($0)))" } ?? ""
                return ["  \(document.slot)", "\(document.serial)", expires]
            }))
    if organization.pending > 0 { printOut("orders under way: \(organization.pending)") }
    if let problem = organization.problem { printOut("check-ins fail: \(shown(problem))") }
    return .success
}
