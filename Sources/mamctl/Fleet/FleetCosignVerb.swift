// `fleet cosign`: one more signature, after the document was shown.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func cosignDocuments(_ invocation: Invocation) throws -> ExitStatus {
    var files = try invocation.operands.map { path throws(Failure) in
        try FleetFile(reading: path)
    }
    let root = try root(of: files, invocation)
    let areOrders = files.contains { $0.envelope.kind == .order }
    let names = areOrders ? try FleetNames(of: invocation) : nil
    for file in files { try agree(to: file, root, names, invocation) }
    let key = try FleetKey(of: invocation)
    for file in files { try require(key, for: file, root) }
    var known: Set<Int> = []
    for index in files.indices {
        let former = files[index].envelope.signatures
        try key.sign(&files[index].envelope)
        // The same key signs the same bytes alike.
        if files[index].envelope.signatures.allSatisfy(former.contains) {
            known.insert(index)
        } else {
            try files[index].write(replacing: true)
            note(.cosign, [files[index]])
        }
    }
    if invocation.isJSON {
        report(files, by: root?.root, invocation, asList: true)
    } else {
        for (index, file) in files.enumerated() {
            let signatures = file.signatures(root?.root)
            let done: Message =
                known.contains(index)
                ? "\(file.path.shown): was signed by \(key.id) already"
                : "\(file.path.shown): signed by \(key.id)"
            printOut(signatures.map { "\(done), \($0.missing) missing" } ?? done)
            if let note = signatures.flatMap({ file.noteOnOrderKeys($0) }) {
                printOut("\(file.path.shown): \(note)")
            }
        }
    }
    return .success
}

/// The one that is named, else the directory's; a root is signed by its own keys.
private func root(of files: [FleetFile], _ invocation: Invocation) throws -> FleetRoot? {
    if let named = invocation.arguments.value("root") { return try FleetRoot(reading: named) }
    let directory = OrganizationDirectory(namedOrganization(invocation) ?? ByteString("."))
    guard files.contains(where: { $0.envelope.kind != .root }),
        try directory.has(OrganizationDirectory.root)
    else { return nil }
    return try FleetRoot(reading: directory.whole(OrganizationDirectory.root))
}

/// What was signed by mistake cannot be taken back from whoever has a copy.
private func agree(
    to file: FleetFile, _ root: FleetRoot?, _ names: FleetNames?, _ invocation: Invocation
) throws {
    if let root, file.statement.organization != root.organization {
        throw Failure(file.path, .otherOrganization(file.statement.organization))
    }
    if let flaw = unsound(file) { throw Failure(file.path, .malformed(flaw)) }
    printError(verbatim: file.words(root?.root, names))
    try agree(
        to: "Sign this?", orElse: "\(file.path.shown): not signed",
        next: "add --yes if this is what you mean to sign", invocation)
}

/// Why its content says nothing that could be agreed to; nil if it does.
private func unsound(_ file: FleetFile) -> String? {
    let content = file.envelope.content
    do throws(Refusal) {
        switch file.envelope.kind {
        case .root: _ = try Root(parsing: content)
        case .order: _ = try Order(in: file.envelope, file.statement)
        case .time: _ = try SignedTime(parsing: content)
        case .settings where content.isEmpty: return nil
        case .policy: return try policyFlaw(of: file.envelope)
        case .membership, .settings: return flaw(of: content, as: file.envelope.kind)
        }
    } catch { return "\(error)" }
    return nil
}

/// A root is signed by keys of its own, and by the former root's.
private func require(
    _ key: FleetKey, for file: FleetFile, _ root: FleetRoot?
) throws(Failure) {
    let role = file.envelope.kind.role
    if file.envelope.kind == .root, let own = try? Root(parsing: file.envelope.content) {
        if root?.root.keys(of: role)[key.id] == nil { try key.require(role, in: own) }
    } else if let root {
        // What order keys sign, too, may wipe.
        if role == .policy, file.envelope.kind != .settings,
            root.root.keys(of: .order)[key.id] != nil
        {
            return
        }
        try key.require(file.slot, in: root.root)
    } else {
        throw Failure(
            .usage, "\(file.path.shown): --root is needed: it says whose signatures count",
            next: "mamctl fleet cosign \(file.path.asArgument) --key KEY --root ROOT")
    }
}
