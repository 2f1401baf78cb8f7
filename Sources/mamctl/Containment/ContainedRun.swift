// `run --contained`: a command that can leave nothing outside the workspace.

internal import CContainment
internal import CShims
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Identity

/// Runs the command in its containment, and exits as the command does.
func runContained(_ invocation: Invocation) throws -> ExitStatus {
    let notice = LauncherNotice(invocation)
    let supervisor = try notice.telling(about: invocation.operands) {
        try containedCommand(invocation) { streams in
            invocation.arguments.has("discard-output") ? streams.waysOut : []
        }
    }
    finish(supervisor, invocation.operands, notice)
}

/// The command of `run --contained`, not started yet. `discarded`: the standard streams that it
/// does not get.
func containedCommand(
    _ invocation: Invocation, discarded: (ContainedStreams) -> [Int32]
) throws -> SupervisedCommand {
    let daemon = try invocation.daemon()
    let told = try daemon.containment(of: try invocation.arguments.text("account"))
    let network = try invocation.network(within: told)
    tellWhatIsMissing()
    let mount = try mount(of: daemon.name, told)
    let workspace = ByteString(mount.mountPoint)
    let (streams, input) = try streams(
        ContainedStreams(in: mount, mayBeTerminals: !told.terminalBlocked), discarded)
    return try withStreams(streams) {
        try refuseCovered(mount)
        let watch = try watchedRoot(of: mount)
        let home = try ContainedHome(in: workspace, of: told.account)
        try daemon.refuseOthersFiles(told)
        // It has the person's environment, not the command's.
        let nested = invocation.arguments.has("nested") ? try NestedDisplay() : nil
        let sockets = ContainedSockets(
            daemon: ByteString(Places.current.existingSocket(of: daemon.name)),
            hasSound: network == .any, hasDisplay: !told.nestedRequired, nested: nested,
            printer: ContainedSockets.printService)
        let rules = ContainmentRules(
            workspace: workspace, sockets: sockets, readable: try readablePlaces(),
            network: network,
            account: ByteString(told.account), program: invocation.program,
            fileSystem: ByteString(mount.device), watch: watch, hasTerminal: !told.terminalBlocked)
        home.enter()
        network.enter()
        nested?.enter()
        let supervisor: SupervisedCommand
        do throws(Errno) {
            supervisor = try SupervisedCommand(invocation.operands, in: rules, reading: input)
        } catch { throw notContained(error) }
        try daemon.call(
            Wire.Contain(
                account: told.account, processDescriptor: 0, program: rules.program.wireText),
            descriptors: [try supervisor.descriptor()],
            about: "account '\(shown(told.account))'")
        return supervisor
    }
}

/// What the command has in place of our standard streams, and what is copied into one of them.
private func streams(
    _ own: ContainedStreams, _ discarded: (ContainedStreams) -> [Int32]
) throws -> ([Int32: Descriptor], CopiedInput?) {
    let discarded = discarded(own)
    try own.refuseWaysOut(besides: discarded)
    let null = try openFile("/dev/null", O_RDWR)
    var streams = Dictionary(uniqueKeysWithValues: discarded.map { ($0, null) })
    guard own.isInputCopied, !discarded.contains(STDIN_FILENO) else { return (streams, nil) }
    let (reader, writer) = try makePipe()
    streams[STDIN_FILENO] = reader
    return (streams, CopiedInput(into: writer))
}

private func notContained(_ error: Errno) -> Failure {
    guard mam_landlock_version() == 0 else {
        return Failure(.failure, "the kernel does not contain it: \(error)")
    }
    return Failure(
        .failure, "this kernel has no Landlock, or it is off: nothing can be contained",
        next: "add landlock to the kernel's parameter lsm=")
}

/// Starts the supervised command, and exits as it does.
func finish(
    _ supervisor: consuming SupervisedCommand, _ command: [ByteString],
    _ notice: LauncherNotice? = nil
) -> Never {
    do throws(Errno) { end(as: try supervisor.run()) } catch {
        notice?.show(command, "\(error)")
        endWithout(command, error)
    }
}

/// Says that the command cannot be started, and exits as shells and env(1) do.
func endWithout(_ command: [ByteString], _ error: Errno) -> Never {
    printError("mamctl: \(command[0].shown): \(error)")
    exit(error == .noEntry ? 127 : 126)
}

/// Where this process sees the workspace. Others may have the same name: another user's, or a mount
/// that somebody made to look like it. Only in another mount name space is it at another place.
private func mount(
    of name: WorkspaceName, _ told: Varlink.Identity.Containment
) throws -> Mount {
    let all = try MountTable().mounts.filter {
        $0.workspace == name && $0.device == told.fileSystem
    }
    let there = all.last { ByteString($0.mountPoint).shown == told.mountPoint }
    guard let mount = there ?? (all.count == 1 ? all.first : nil) else {
        throw Failure(
            .notFound, "workspace '\(name)' is mounted nowhere that this process can see",
            next: "mamctl status")
    }
    return mount
}

/// A watch for the end of the workspace's file system.
private func watchedRoot(of workspace: Mount) throws(Failure) -> Descriptor {
    do throws(Errno) {
        let path = workspace.mountPoint.map(CChar.init(bitPattern:)) + [0]
        return Descriptor(owning: try retrying { mam_watch_workspace(path, workspace.device) })
    } catch { throw notContained(error) }
}

private func readablePlaces() throws(Failure) -> [ByteString] {
    do throws(Errno) { return try ReadablePlaces().all } catch {
        throw Failure(.failure, "/proc does not tell which devices are terminals: \(error)")
    }
}

/// Refuses a workspace of which another mount covers a part.
private func refuseCovered(_ workspace: Mount) throws {
    guard let other = try MountTable().stranger(inWorkspace: workspace.device) else { return }
    let place = ByteString(other.mountPoint).shown
    throw Failure(
        .refused,
        "\(place), in the workspace, is another file system (\(other.type)): what a contained"
            + " program writes there is not sealed", next: "umount \(place)")
}

/// One line, if this kernel restricts less than it could.
private func tellWhatIsMissing() {
    let missing: [Message] = [
        (2 as Int32, "files cannot be renamed from one directory to another"),
        (5, "devices that were open before can be controlled"),
        (6, "signals can be sent to groups of programs outside"),
    ].filter { mam_landlock_version() < $0.0 }.map(\.1)
    guard !missing.isEmpty else { return }
    let version = mam_landlock_version()
    printError("mamctl: Landlock \(version) of this kernel: \(missing.joined(separator: ", "))")
}

extension Daemon {
    /// What contained programs of the account may do; nil for the caller's.
    func containment(of account: String?) throws(Failure) -> Varlink.Identity.Containment {
        try call(
            Wire.GetContainment(account: account),
            about: account.map { "account '\(shown($0))'" }
        ).containment
    }
}

extension Invocation {
    /// The path of the command's program; its name if there is no such file.
    fileprivate var program: ByteString { place(ofProgram: operands[0]) ?? operands[0] }

    /// `--network`, which only narrows what policy allows.
    fileprivate func network(
        within told: Varlink.Identity.Containment
    ) throws(Failure) -> ContainmentRules.Network {
        let allowed = ContainmentRules.Network(told)
        guard let text = try arguments.text("network") else { return allowed }
        guard let wanted = ContainmentRules.Network(text) else {
            throw .usage(verb, "--network takes any, none, or TCP ports with commas")
        }
        guard wanted.isWithin(allowed) else {
            throw Failure(
                .refused,
                "policy and settings let contained programs of \(shown(told.account))"
                    + " connect to \(allowed.words)",
                next: "leave --network out")
        }
        return wanted
    }
}
