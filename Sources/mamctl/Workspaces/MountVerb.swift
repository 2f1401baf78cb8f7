// `mount`: starts mamd and waits until it serves.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func mountWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let (backing, mountPoint) = try checkedPlaces(invocation)
    keepIndexersOut(of: mountPoint)
    var command = [companion("mamd")]
    if let options = invocation.arguments.value("options") {
        command += [ByteString("-o"), options]
    }
    if invocation.arguments.has("foreground") {
        let error = execute(command + [ByteString("-f"), backing, mountPoint])
        throw Failure(command[0], error)
    }
    let waits = try mount(at: mountPoint)?.isAutomount == true
    guard
        case .ended(let end) = try startDaemon(
            command, [backing, mountPoint], inNewSession: !waits)
    else {
        invocation.answer(
            [
                "mountPoint": .string(mountPoint.shown), "backingDirectory": .string(backing.shown),
            ], words: "\(backing.shown) is mounted at \(mountPoint.shown)")
        if !invocation.isJSON { hintAtImport(mountPoint, invocation) }
        return .success
    }
    return try status(of: end, command[0], invocation)
}

private func checkedPlaces(
    _ invocation: Invocation
) throws -> (backing: ByteString, mountPoint: ByteString) {
    let operands = invocation.operands
    if operands.count == 1 { throw invocation.misuse("MOUNTPOINT is missing") }
    let (backing, mountPoint) =
        operands.isEmpty
        ? try OnlyWorkspace(invocation).toMount() : (operands[0], operands[1])
    if let text = invocation.arguments.value("name") {
        let name = try workspaceName(text)
        let named = try NamedMount(of: backing, as: name)
        let place = try checkedMountPoint(mountPoint, backing.resolved ?? backing)
        try named.settle()
        try WorkspaceConfiguration(of: name).note(mountPoint: place)
    }
    let place = try checkedBacking(backing)
    return (place, try checkedMountPoint(mountPoint, place))
}

/// Ignores failures: the mount has succeeded.
private func hintAtImport(_ mountPoint: ByteString, _ invocation: Invocation) {
    guard let directory = try? openFile(mountPoint.cString, O_RDONLY | O_DIRECTORY),
        let status = try? invocation.daemon(for: directory).status(), status.needsImport
    else { return }
    printError("There is no account, and \(importReason): \(importCommand)")
}

/// The exit status for mamd's end. mamd has printed the reason unless a signal ended it.
func status(
    of end: ProcessEnd, _ program: ByteString, _ invocation: Invocation
) throws(Failure) -> ExitStatus {
    guard case .exited(let code) = end, code != 0, code != 127 else {
        throw Failure(.failure, "\(program.shown) \(end) before it served")
    }
    let status = ExitStatus(rawValue: code) ?? .failure
    if invocation.isJSON {
        printJSON(["error": Failure(status, "mamd \(end); its message is on standard error").json])
    }
    return status
}

/// The result of starting a daemon.
enum StartedDaemon {
    /// `pipe`: the readiness pipe. A daemon without a mount ends when it is closed.
    case serves(process: pid_t, pipe: Descriptor)
    case ended(ProcessEnd)
}

/// Starts mamd and waits until it serves or ends. `inNewSession`: not for an automount, where none
/// but the process group of who waits for the mount may look at the mount point.
func startDaemon(
    _ command: [ByteString], _ operands: [ByteString], inNewSession: Bool = true
) throws -> StartedDaemon {
    let (reader, process) = try spawnDaemon(command, operands, inNewSession)
    var byte: UInt8 = 0
    let count = try retrying { read(reader.raw, &byte, 1) }
    if count == 1, byte == UInt8(ascii: "+") { return .serves(process: process, pipe: reader) }
    return .ended(try wait(for: process))
}

/// A separate function, so that our copy of the pipe's write end is closed before we read.
private func spawnDaemon(
    _ command: [ByteString], _ operands: [ByteString], _ inNewSession: Bool
) throws -> (reader: Descriptor, process: pid_t) {
    let (reader, writer) = try makePipe()
    let words = command + [ByteString("--ready-fd"), ByteString("3"), ByteString("--")] + operands
    let process = try naming(
        command[0], spawn(words, files: [writer.raw: 3], inNewSession: inNewSession))
    return (reader, process)
}

private func checkedBacking(_ path: ByteString) throws(Failure) -> ByteString {
    if let missing = MissingBacking(at: path) { throw missing.failure }
    let directory = try openDirectory(path, next: "mamctl init \(path.asArgument)")
    if let name = workspace(of: directory) {
        throw Failure(
            .failure,
            "\(path.shown) is in the mounted workspace '\(name)' and cannot be a backing directory",
            next: "mamctl status shows the backing directories")
    }
    guard faccessat(directory.raw, ".mamd/workspace.json", F_OK, 0) == 0 else {
        if Errno.current == .accessDenied { throw Failure(path, .accessDenied) }
        throw Failure(
            .notFound, "\(path.shown) is not a workspace", next: "mamctl init \(path.asArgument)")
    }
    return path.resolved ?? path
}

func checkedMountPoint(
    _ path: ByteString, _ backing: ByteString
) throws(Failure) -> ByteString {
    try checkLinks(path)
    let dead = try deadMount(at: path)
    let mountPoint = if let dead { dead } else { try freeOrDying(path) }
    if mountPoint.isWithin(backing) || backing.isWithin(mountPoint) {
        throw Failure(
            .failure,
            "\(path.shown): the mount point and \(backing.shown) must not contain each other",
            next: "use a directory outside it")
    }
    return mountPoint
}

/// Refuses untrusted links. mamd checks the same, but gets the resolved path.
private func checkLinks(_ path: ByteString) throws(Failure) {
    do throws(PathFailure) { _ = try openTrusted(path) } catch {
        // Later checks report other errors.
        guard case .foreignLink = error else { return }
        throw Failure(.failure, "\(path.shown): \(error)")
    }
}

/// The mount point of a dead mount. It stays until mamd replaces it, so that programs cannot write
/// into the directory below.
private func deadMount(at path: ByteString) throws(Failure) -> ByteString? {
    guard let place = try mountOfWorkspace(path)?.place, try isDead(place) else { return nil }
    printError("mamctl: \(path.shown): the daemon of this mount has died; mounting again")
    return place
}

/// A daemon that was just killed may answer one check and be dead at the next.
private func freeOrDying(_ path: ByteString) throws(Failure) -> ByteString {
    do throws(Failure) { return try freeDirectory(path) } catch {
        guard let dead = try deadMount(at: path) else { throw error }
        return dead
    }
}

/// An empty directory where nothing is mounted.
private func freeDirectory(_ path: ByteString) throws(Failure) -> ByteString {
    _ = try openDirectory(path, openPathOnly, next: "mkdir \(path.asArgument)")
    guard let directory = path.resolved else { throw Failure(path, .current) }
    if let mount = try mount(at: directory), !mount.isAutomount {
        let what: Message =
            mount.workspace.map { "workspace '\($0)'" } ?? "a file system of type \(mount.type)"
        let unreached = mount.workspace.flatMap { isReached($0) ? nil : unreachedDaemon(of: $0) }
        throw Failure(
            .failure, "\(path.shown): \(what) is mounted there already",
            next: unreached?.next ?? "mamctl status")
    }
    let isEmpty = try naming(path) { () throws(Errno) in
        // mamd lists what only its owner keeps shut: it has to open it for that.
        let found = try status(at: workingDirectory, directory.cString)
        if ShutMountPoint.isShut(found) { return true }
        return try entries(of: directory).isEmpty
    }
    guard isEmpty else {
        throw Failure(
            .failure, "\(path.shown) is not empty: a mount would hide its content",
            next: "use an empty directory")
    }
    return directory
}

private func isReached(_ name: WorkspaceName) -> Bool {
    let places = Places.current
    return !places.isServed(name)
        || (try? Daemon(of: name, at: places.existingSocket(of: name))) != nil
}

private func openDirectory(
    _ path: ByteString, _ access: Int32 = O_RDONLY, next: Message
) throws(Failure) -> Descriptor {
    do throws(Errno) {
        return try openFile(path.cString, access | O_DIRECTORY)
    } catch {
        throw Failure(path, error, next: error == .noEntry ? next : nil)
    }
}

func mount(at path: ByteString) throws(Failure) -> Mount? {
    do throws(Errno) { return try MountTable().mount(at: path.bytes) } catch {
        throw Failure(ByteString("/proc/self/mountinfo"), error)
    }
}
