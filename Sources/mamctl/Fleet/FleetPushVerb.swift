// `fleet push`: a directory of policies becomes what machines obey.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func pushPolicies(_ invocation: Invocation) throws -> ExitStatus {
    let fleet = try FleetDirectory(of: invocation)
    let (directory, root) = (fleet.place, fleet.root)
    let arguments = invocation.arguments
    let validity = try validity(
        days: usualDays, atMost: SignedDocument.longestDays, invocation)
    let signed = try directory.signedPolicies(by: root.root, of: root.organization).filter {
        // Others were signed by hand, and stay.
        $0.slot.kind == .policy || $0.slot == settingsSlot
    }
    let wanted = try wantedPolicies(in: invocation.operands[0], KnownGroups(directory))
    let push = PolicyPush(
        try wanted + wantedSettings(in: directory), signed: signed,
        isPruning: arguments.has("prune"), at: validity.issued)
    let shown = ShownPush(push, since: signed, try fleet.survey(invocation), invocation)
    let work = push.changes.filter { $0.action != .left }
    let isDry = arguments.has("dry-run")
    if invocation.isJSON, isDry || arguments.has("yes") { shown.showDoubts() } else { shown.show() }
    if !isDry { try sign(work, shown, validity, fleet, invocation) }
    if isDry || arguments.has("local") {
        if invocation.isJSON {
            printJSON(
                shown.json(isSigned: !isDry && !work.isEmpty, published: nil, error: nil))
        }
        if !isDry, !work.isEmpty {
            printError(
                "Signed in \(directory.whole(OrganizationDirectory.signed).shown). They go out with"
                    + " mamfleet push, or mamctl fleet bundle.")
        }
        return .success
    }
    guard invocation.isJSON else {
        // Whether or not it can be sent.
        if !work.isEmpty {
            printError("Signed in \(directory.whole(OrganizationDirectory.signed).shown).")
        }
        throw executeMamfleet([ByteString("push"), directory.path])
    }
    return try publish(shown, isSigned: !work.isEmpty, directory)
}

/// Once somebody agrees; nothing if there is no change.
func sign(
    _ work: [PolicyChange], _ shown: ShownPush, _ validity: (issued: Int64, expires: Int64),
    _ fleet: FleetDirectory, _ invocation: Invocation
) throws {
    guard !work.isEmpty else { return }
    let key = try FleetKey(of: invocation)
    try key.require(.policy, in: fleet.root.root)
    let files = try work.map { change in
        try document(for: change, fleet.root.organization, validity, in: fleet.place)
    }
    try agree(to: shown, "Sign \(work.count.counted("document"))?", invocation)
    for (name, file) in files { try sign(file, named: name, key, in: fleet.place) }
}

/// What closes all that it covers, or covers nobody, is asked for by name: `yes` is typed too fast.
func agree(to push: ShownPush, _ question: Message, _ invocation: Invocation) throws {
    let refusal: Message = "nothing was signed"
    try agree(to: question, orElse: refusal, invocation)
    if invocation.arguments.has("yes") { return }
    for (name, doubt) in push.doubts {
        let typed = try Terminal.askOpenly("\(doubt). Type \(name) to sign it nevertheless")
        guard typed.text == name else { throw Failure(.failure, refusal) }
    }
}

/// One object of what both programs did, also where `mamfleet` could not publish.
private func publish(
    _ push: ShownPush, isSigned: Bool, _ directory: OrganizationDirectory
) throws(Failure) -> ExitStatus {
    let program = companion("mamfleet")
    let (answer, end): (JSONValue?, ProcessEnd)
    do throws(Errno) {
        (answer, end) = try jsonOutput(
            of: [program, ByteString("push"), ByteString("--json"), directory.path])
    } catch { throw Failure(noMamfleet: program, error) }
    let isDone = end == .exited(0)
    printJSON(
        push.json(
            isSigned: isSigned, published: isDone ? answer : nil,
            error: isDone ? nil : answer?.object?["error"]))
    return ExitStatus(end)
}

/// Its name in the directory, and what is to be signed.
private func document(
    for change: PolicyChange, _ organization: Bytes16,
    _ validity: (issued: Int64, expires: Int64), in directory: OrganizationDirectory
) throws -> (name: String, file: FleetFile) {
    var name = change.former?.file ?? file(for: change.slot)
    // Of another slot, such as a membership of that name.
    if change.former == nil, try directory.has(name) {
        name = name.replacing("/", with: "/\(change.slot.kind.rawValue)@", maxReplacements: 1)
    }
    let file = try FleetFile(
        directory.whole(name), change.slot, change.content, of: organization,
        serial: nextSerial(
            of: directory.whole(name), after: change.former?.serial, at: validity.issued),
        issued: validity.issued, expires: validity.expires)
    return (name, file)
}

private func sign(
    _ document: FleetFile, named name: String, _ key: FleetKey,
    in directory: OrganizationDirectory
) throws {
    var file = document
    try key.sign(&file.envelope)
    let bytes = file.envelope.encoded()
    do throws(Refusal) { _ = try Envelope(parsing: bytes) } catch {
        throw Failure(
            .usage, "\(file.slot): not signed, no machine would accept it: \(error)",
            next: "make smaller policies of it")
    }
    try directory.replace(signed: name, with: bytes)
}

/// No two slots have the same: a group's name has no `@`.
private func file(for slot: Slot) -> String {
    let name = slot.name.hasSuffix(".json") ? slot.name : "\(slot.name).json"
    return switch slot.audience {
    case .all: "\(OrganizationDirectory.signed)/\(name)"
    case .group(let group): "\(OrganizationDirectory.signed)/\(group)@\(name)"
    case .machine(let id): "\(OrganizationDirectory.signed)/\(id)@\(name)"
    }
}
