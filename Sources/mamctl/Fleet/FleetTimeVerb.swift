// `fleet time`: the time, and the documents that machines must have.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

private let defaultDays: Int64 = 1
private let maximumDays: Int64 = 2
private let slot = Slot(.time, .all, SignedDocument.timeName)

func signTime(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.documentOutput()
    let root = try FleetRoot(of: invocation)
    let signed = invocation.operands[0].resolved ?? invocation.operands[0]
    let isOrganizations = signed.lastComponent.text == OrganizationDirectory.signed
    let orderKeys = OrderKeys(
        by: root.root, since: try? FleetFile(reading: output).envelope,
        in: isOrganizations ? OrganizationDirectory(signed.directory) : nil)
    let heads = try heads(in: invocation.operands[0], root, orderKeys)
    let content = SignedTime(heads: heads).json.encoded()
    let (issued, expires) = try validity(days: defaultDays, atMost: maximumDays, invocation)
    var file = try FleetFile(
        output, slot, content, of: root.organization,
        serial: nextSerial(of: slot, replacing: output, invocation), issued: issued,
        expires: expires)
    try file.finish(root, invocation)
    return .success
}

/// The highest serial of each slot. Orders have none, times do not list themselves, and memberships
/// of single machines would make them too large. All are verified: a head that no machine accepts
/// would close every account. Of what order keys have yet to sign the former version stays named.
private func heads(
    in directory: ByteString, _ root: FleetRoot, _ orderKeys: OrderKeys
) throws -> [Slot: Int64] {
    var heads = [
        Slot(.root, .all, SignedDocument.rootName): root.file.statement.serial
    ]
    var payloads: [Slot: [UInt8]] = [:]
    let names = try naming(directory, entries(of: directory))
    for name in names.sorted(by: { $0.shown < $1.shown }) {
        let path = directory.appending(name)
        let found = try naming(path, status(at: workingDirectory, path.cString, followLinks: true))
        guard found.st_mode & S_IFMT == S_IFREG else { continue }
        let file = try FleetFile(reading: path)
        if file.envelope.kind == .order || file.envelope.kind == .time { continue }
        let serial = try serialToName(of: file, root, orderKeys)
        if file.envelope.kind == .membership, case .machine = file.statement.audience { continue }
        let slot = file.slot
        guard let serial else { continue }
        if serial == heads[slot], let other = payloads[slot], other != file.envelope.payload {
            throw Failure(
                .refused, "\(path.shown): another document of \(slot) has serial \(serial) too",
                next: "sign one of them again")
        }
        if serial >= heads[slot] ?? 0 {
            heads[slot] = serial
            payloads[slot] = file.envelope.payload
        }
    }
    let serial = heads[Slot(.root, .all, SignedDocument.rootName)] ?? 0
    guard serial == root.file.statement.serial else {
        throw Failure(
            .refused, "\(directory.shown) has a root with serial \(serial), newer than --root",
            next: "name that one")
    }
    return heads
}

/// Nil: its slot is new, and order keys have yet to sign it.
private func serialToName(
    of file: FleetFile, _ root: FleetRoot, _ orderKeys: OrderKeys
) throws(Failure) -> Int64? {
    if let refusal = try refusal(of: file, root, nil) {
        guard case .recoveryKeyNotOrdered = refusal else { throw Failure(file.path, refusal) }
    }
    guard let refusal = try reasonToWait(file, root, orderKeys) else {
        return file.statement.serial
    }
    let failure = Failure(file.path, refusal)
    Failure(failure.status, "not named yet: \(failure.message)", next: failure.next)
        .report(isJSON: false)
    return orderKeys.serialInForce(file.slot)
}

private func reasonToWait(
    _ file: FleetFile, _ root: FleetRoot, _ orderKeys: OrderKeys
) throws(Failure) -> Refusal? {
    guard file.envelope.kind == .policy else { return nil }
    let verdict: OrderKeys.Verdict
    do {
        let document = try SignedDocument(file.envelope, by: root.root, of: root.organization)
        verdict = try orderKeys.verdict(on: document)
    } catch let refusal as Refusal {
        throw Failure(file.path, refusal)
    } catch let failure as OrganizationDirectory.Failure {
        throw Failure(failure)
    } catch { throw Failure("\(error)") }
    guard case .heldBack(let refusal) = verdict else { return nil }
    return refusal
}
