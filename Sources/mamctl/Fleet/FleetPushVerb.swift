// `fleet push`: a directory of policies becomes what machines obey.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

func pushPolicies(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try organization(of: invocation)
    let root = try FleetRoot(of: invocation, orOf: directory)
    let arguments = invocation.arguments
    let validity = try validity(
        days: usualDays, atMost: SignedDocument.longestDays, invocation)
    let push = PolicyPush(
        try wantedPolicies(in: invocation.operands[0], KnownGroups(directory)),
        signed: try directory.signedPolicies(by: root.root, of: root.organization),
        isPruning: arguments.has("prune"), at: validity.issued)
    let work = push.changes.filter { $0.action != .left }
    if !invocation.isJSON || !arguments.has("yes") { show(push, root.root) }
    if !arguments.has("dry-run"), !work.isEmpty {
        let key = try FleetKey(of: invocation)
        try key.require(.policy, in: root.root)
        try agree(
            to: "Sign \(work.count.counted("document"))?", orElse: "nothing was signed",
            invocation)
        for change in work {
            try sign(change, key, root.organization, validity, in: directory)
        }
    }
    if arguments.has("dry-run") || arguments.has("local") {
        if invocation.isJSON {
            printJSON(json(push, isSigned: !arguments.has("dry-run")))
        }
        if !arguments.has("dry-run"), !work.isEmpty {
            printError(
                "Signed in \(directory.whole(OrganizationDirectory.signed).shown). They go out with"
                    + " mamfleet push, or mamctl fleet bundle.")
        }
        return .success
    }
    guard invocation.isJSON else { throw executeMamfleet([ByteString("push"), directory.path]) }
    return try publish(push, directory)
}

/// One object of what both programs did, also where `mamfleet` could not publish.
private func publish(
    _ push: PolicyPush, _ directory: OrganizationDirectory
) throws(Failure) -> ExitStatus {
    let program = companion("mamfleet")
    let (answer, end): (JSONValue?, ProcessEnd)
    do throws(Errno) {
        (answer, end) = try jsonOutput(
            of: [program, ByteString("push"), ByteString("--json"), directory.path])
    } catch { throw Failure(noMamfleet: program, error) }
    let isDone = end == .exited(0)
    printJSON(
        json(
            push, isSigned: true, published: isDone ? answer : nil,
            error: isDone ? nil : answer?.object?["error"]))
    return ExitStatus(end)
}

private func sign(
    _ change: PolicyChange, _ key: FleetKey, _ organization: Bytes16,
    _ validity: (issued: Int64, expires: Int64), in directory: OrganizationDirectory
) throws {
    var name = change.former?.file ?? file(for: change.slot)
    // Of another slot, such as a membership of that name.
    if change.former == nil, try directory.has(name) {
        name = name.replacing("/", with: "/policy@", maxReplacements: 1)
    }
    var file = try FleetFile(
        directory.whole(name), change.slot, change.content, of: organization,
        serial: max(validity.issued, (change.former?.serial ?? 0) + 1), issued: validity.issued,
        expires: validity.expires)
    try key.sign(&file.envelope)
    let bytes = file.envelope.encoded()
    do throws(Refusal) { _ = try Envelope(parsing: bytes) } catch {
        throw Failure(
            .usage, "\(change.slot): not signed, no machine would accept it: \(error)",
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

// MARK: What changes

private func show(_ push: PolicyPush, _ root: Root) {
    for change in push.changes {
        printError("\(sign(of: change.action)) \(change.slot)  \(words(for: change.action))")
        let missing = root.threshold(of: .order)
        if let note = wipeNote(on: change.content, missing: missing) { printError("    \(note)") }
        guard change.action == .changed else { continue }
        let lines = change.differences
        let shown: [Message] =
            lines.isEmpty
            ? ["the same values, written otherwise"] : lines.map { .verbatim(ByteString($0).shown) }
        for line in shown { printError("    \(line)") }
    }
    printError("\(push.unchangedCount) unchanged")
}

private func sign(of action: PolicyChange.Action) -> String {
    switch action {
    case .new: "+"
    case .changed, .renewed: "~"
    case .withdrawn: "-"
    case .left: "!"
    }
}

private func words(for action: PolicyChange.Action) -> Message {
    switch action {
    case .new: "new"
    case .changed: "changed"
    case .renewed: "signed again: it expires soon, or its key was taken away"
    case .withdrawn: "withdrawn"
    case .left: "stays in force, and is not in the directory: --prune withdraws it"
    }
}

private func json(
    _ push: PolicyPush, isSigned: Bool, published: JSONValue? = nil, error: JSONValue? = nil
) -> JSONValue {
    [
        "changes": .array(
            push.changes.map { change in
                [
                    "slot": .string(change.slot.description),
                    "audience": .string(change.slot.audience.description),
                    "name": .string(change.slot.name), "action": .string(change.action.rawValue),
                    "differences": JSONValue(texts: change.differences),
                    "wipesBy": JSONValue(texts: PolicyDocument.wipeRules(in: change.content)),
                ]
            }), "unchanged": JSONValue(push.unchangedCount), "signed": .bool(isSigned),
        "published": published ?? .null, "error": error ?? .null,
    ]
}
