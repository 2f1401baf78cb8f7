// `diagnostics`: a bundle for support, without personal data, packed by tar(1).

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func diagnose(_ invocation: Invocation) throws -> ExitStatus {
    let names = Pseudonyms(showsNames: invocation.arguments.has("with-names"))
    if invocation.isJSON {
        printJSON(.object(try bundle(invocation, names)))
        return .success
    }
    let path = invocation.arguments.value("output") ?? ByteString("mamd-diagnostics.tar.gz")
    // Open the output first, to fail early if it cannot be written.
    let file = try NewFile(for: path, replacing: invocation.arguments.has("force"))
    try writeArchive(try bundle(invocation, names), to: file.descriptor)
    try file.finish(mode: 0o600)
    printOut(verbatim: path.shown)
    printError(explanation(path, names))
    return .success
}

private func explanation(_ path: ByteString, _ names: Pseudonyms) -> Message {
    let shown: Message =
        names.showsNames
        ? "It includes the names of accounts, files, programs and policies, as requested."
        : "Names of accounts, files, programs and policies are replaced by numbers; free text is"
            + " left out."
    return """
        \(path.shown) has versions, states, settings, rules, facts of keybags without keys, and \
        the last of log and audit. \(shown) No key or passphrase is in it. Look through it before \
        you send it: tar -xOf \(path.shown) | less
        """
}

private func bundle(
    _ invocation: Invocation, _ names: Pseudonyms
) throws -> [String: JSONValue] {
    var workspaces: [JSONValue] = []
    for name in try wanted(invocation) { workspaces.append(.object(workspace(name, names))) }
    return [
        "system": systemDiagnostics(), "workspaces": .array(workspaces),
        "withNames": .bool(names.showsNames),
    ]
}

/// The workspace of `--workspace`, else all that run or have settings or state.
private func wanted(_ invocation: Invocation) throws(Failure) -> [WorkspaceName] {
    if let text = try invocation.arguments.text("workspace") {
        guard let name = WorkspaceName(text) else {
            throw Failure(.usage, "'\(shown(text))' is not a valid workspace name")
        }
        return [name]
    }
    let places = Places.current
    let directories = [places.configurationRoot, places.stateRoot].flatMap { root in
        ((try? entries(of: ByteString(root))) ?? []).compactMap(\.text)
            .filter { !$0.hasSuffix(".sock") }
    }
    let names = directories.compactMap { WorkspaceName($0) } + places.sockets().map(\.name)
    return Set(names).sorted { $0.description < $1.description }
}

private func workspace(_ name: WorkspaceName, _ names: Pseudonyms) -> [String: JSONValue] {
    let places = Places.current
    let state = StateDiagnostics(
        configuration: places.configuration(of: name), state: places.state(of: name),
        names: names)
    let daemon = try? Daemon(of: name, at: places.existingSocket(of: name))
    // Query the daemon first: it knows the accounts' other names.
    let live = daemon.map { DaemonDiagnostics(daemon: $0, names: names).members }
    return [
        "name": .string(names.name(.workspace, name.description)),
        "isServed": .bool(daemon != nil), "settings": state.settings,
        "policyFiles": state.policyFiles, "keybags": state.keybags, "audit": state.audit,
        "log": state.log(of: name),
    ].merging(live ?? [:]) { $1 }
}

/// Writes one file per member. Removes its temporary files.
func writeArchive(_ parts: [String: JSONValue], to archive: Descriptor) throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/mamctl-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(ByteString(base), .current) }
    let top = String(cString: template.map { UInt8(bitPattern: $0) })
    let directory = "\(top)/mamd-diagnostics"
    defer { removeTree(top) }
    _ = try retrying { mkdir(directory, 0o700) }
    for (name, value) in parts { try write(value, to: "\(directory)/\(name).json") }
    let end = try withExtendedLifetime(archive) {
        try wait(
            for: spawn(
                [
                    "tar", "--create", "--gzip", "--owner=0", "--group=0", "--sort=name",
                    "--directory", top, "mamd-diagnostics",
                ].map { ByteString($0) }, files: [archive.raw: STDOUT_FILENO]))
    }
    guard end == .exited(0) else {
        throw Failure(.failure, "tar \(end)", next: "see its message")
    }
}

private func write(_ value: JSONValue, to path: String) throws {
    let file = try openFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try value.encoded(pretty: true).span.withUnsafeBytes { bytes in
        try writeFully(file.raw, from: bytes, at: 0)
    }
}

private func removeTree(_ top: String) {
    let directory = "\(top)/mamd-diagnostics"
    for name in (try? entries(of: ByteString(directory))) ?? [] {
        unlink(ByteString(directory).appending(name).cString)
    }
    rmdir(directory)
    rmdir(top)
}
