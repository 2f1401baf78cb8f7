// `workspace list`, `workspace rename` and `workspace remove`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func listWorkspaces(_ invocation: Invocation) throws -> ExitStatus {
    var found: [ListedWorkspace] = []
    for daemon in runningDaemons() {
        do { found.append(ListedWorkspace(try daemon.status())) } catch {
            found.append(ListedWorkspace(name: daemon.name.description, state: "does not answer"))
        }
    }
    found += Places.current.unmountedWorkspaces(except: found.map(\.name))
        .map(ListedWorkspace.init)
    return invocation.answer(
        .array(found.map(\.json)),
        words: found.isEmpty
            ? "no workspaces; create one: mamctl setup" : .verbatim(table(found.map(\.row))))
}

/// One line of the list.
private struct ListedWorkspace {
    let name: String
    let state: Message
    var mountPoint: ByteString?
    var backing: ByteString?

    init(name: String, state: Message) {
        self.name = name
        self.state = state
    }

    init(_ report: StatusReport) {
        name = report.name
        state = report.mountPoint.isEmpty ? "being checked" : "mounted"
        mountPoint = report.mountPoint.isEmpty ? nil : ByteString(report.mountPoint)
        backing = ByteString(report.backingDirectory)
    }

    init(_ workspace: UnmountedWorkspace) {
        name = workspace.name.description
        let unmounted: Message = workspace.isShut ? "not mounted, shut" : "not mounted"
        state =
            workspace.isServed
            ? "does not answer" : workspace.deadMount == nil ? unmounted : "dead"
        mountPoint = workspace.deadMount ?? workspace.mountPoint
        backing = workspace.backing
    }

    var row: [Message] {
        [
            .verbatim(name), state, .verbatim(mountPoint?.shown ?? "-"),
            .verbatim(backing?.shown ?? "-"),
        ]
    }

    var json: JSONValue {
        [
            "name": .string(name), "state": .string(state.english),
            "mountPoint": JSONValue(mountPoint?.wireText),
            "backingDirectory": JSONValue(backing?.wireText),
        ]
    }
}

private func listedName(_ operand: ByteString) throws(Failure) -> WorkspaceName {
    try workspaceName(
        operand, next: "use another name; mamctl workspace list shows those in use")
}

func renameWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let old = try listedName(invocation.operands[0])
    let new = try listedName(invocation.operands[1])
    guard old != new else { throw invocation.misuse("both names are '\(new)'") }
    let renaming = try WorkspaceRenaming(old, to: new)
    UnitNames(of: old).stopFleet()
    try renaming.run()
    let remaining = UnitNames(of: old).rename(to: new)
    if invocation.isJSON {
        printJSON([
            "name": new.json, "former": old.json,
            "next": .array(remaining.map { .string($0) }),
        ])
        return .success
    }
    printOut("\(old): its name is \(new) now")
    for command in remaining { printOut("next: \(command)") }
    return .success
}

func removeWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let name = try listedName(invocation.operands[0])
    let removal = try WorkspaceRemoval(of: name)
    try invocation.confirm(removal)
    let opened = try removal.openMountPoint()
    let remaining = try removal.removeUnits()
    let left = try removal.run()
    if invocation.isJSON {
        printJSON([
            "name": name.json, "backingDirectory": JSONValue(removal.backing?.wireText),
            "sealedFiles": removal.files.map { JSONValue($0.sealed) } ?? .null,
            "left": .array(left.map { .string($0.wireText) }),
            "opened": JSONValue(opened?.wireText),
            "next": .array(remaining.map { .string($0) }),
        ])
        return .success
    }
    printOut("\(name): removed, with its settings and keys")
    if let backing = removal.backing { removal.filesLeft(in: backing).forEach(printOut) }
    for place in left { printOut("left: \(place.shown)") }
    if let opened { printOut("an ordinary directory again: \(opened.shown)") }
    for command in remaining { printOut("next: \(command)") }
    return .success
}

extension WorkspaceRemoval {
    /// Lines for people.
    fileprivate func filesLeft(in backing: ByteString) -> [Message] {
        guard let files else { return ["not found, and left as it is: \(backing.shown)"] }
        let left: Message = "left as they are: the files in \(backing.shown)"
        let way: Message = "to have ordinary files: mamctl leave \(backing.asArgument) DEST"
        guard files.sealed > 0 else { return [left, way] }
        return [
            "\(left), \(files.sealed.counted("file")) sealed under keys that are gone",
            files.plain > 0
                ? way : "nothing opens them without an export or a recovery record of their keys",
        ]
    }

    /// The files that nothing can open after the removal.
    fileprivate var loss: Message {
        guard let files else {
            return backing.map {
                "its files cannot be found at \($0.shown): nothing could open the sealed ones"
            } ?? "its files cannot be found: nothing could open the sealed ones"
        }
        return "it has keys, and \(files.sealed.counted("sealed file")): nothing could open them"
    }
}

extension Invocation {
    /// Requires the name as confirmation if there are keys or sealed files, or if that is unknown.
    fileprivate func confirm(_ removal: WorkspaceRemoval) throws {
        guard removal.hasKeys || removal.files?.sealed != 0 else { return }
        let name = removal.name.description
        if let given = arguments.value("confirm") {
            guard given.text == name else {
                throw Failure.usage(
                    verb, "--confirm is '\(given.shown)', but the name is \(name)")
            }
            return
        }
        let loss: Message = "\(removal.loss) without an export or a recovery record"
        let backing = removal.backing?.asArgument ?? "BACKING"
        guard isatty(STDIN_FILENO) == 1 else {
            throw Failure(
                .refused, "workspace '\(name)': \(loss)",
                next: "mamctl leave \(backing) DEST while it is mounted, or mamctl account export;"
                    + " then add --confirm \(name)")
        }
        printError("Workspace '\(name)': \(loss).")
        printError("To keep files: mamctl leave \(backing) DEST while it is mounted.")
        guard try Terminal.askOpenly("Type the workspace's name to continue").text == name else {
            throw Failure(.failure, "\(name): not removed", next: "type the exact name")
        }
    }
}
