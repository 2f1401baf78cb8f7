// `unmount`: unmounts and waits until the daemon has ended.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func unmountWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let path = try invocation.operands.first ?? OnlyWorkspace(invocation).toUnmount()
    guard let found = try mountOfWorkspace(path) else {
        throw Failure(
            access(path.cString, F_OK) == 0 ? .failure : .notFound,
            "\(path.shown) is not the mount point of a workspace", next: "mamctl status")
    }
    // Or it would be in use by this process, if it was started there.
    chdir("/")
    let daemon =
        isDaemonStuck(found.name, at: found.place)
        ? nil : process(serving: found.name, at: found.place)
    // Nobody can write to a dead mount any more: unmount it at once, even if it is in use.
    try detach(found.place, servedBy: daemon, lazily: try isDead(found.place))
    if let daemon { try daemon.waitForEnd(found.name) }
    return invocation.answer(
        ["mountPoint": .string(found.place.shown), "unmounted": true],
        words: "\(path.shown) is unmounted")
}

/// The mount at the path, or at the target of a link there.
func mountOfWorkspace(
    _ path: ByteString
) throws(Failure) -> (name: WorkspaceName, place: ByteString)? {
    for candidate in [path.resolvedDirectory, path.resolved].compactMap(\.self) {
        if let name = try mount(at: candidate)?.workspace { return (name, candidate) }
    }
    return nil
}

func isDead(_ place: ByteString) throws(Failure) -> Bool {
    if let name = try mount(at: place)?.workspace, isDaemonStuck(name, at: place) { return true }
    return try naming(place, isDeadMount(place))
}

/// Whether the daemon was killed but cannot end: accessing the mount or the socket would block us
/// too.
private func isDaemonStuck(_ name: WorkspaceName, at place: ByteString) -> Bool {
    let path = Places.current.existingSocket(of: name)
    // It still has its socket, but does not answer there.
    guard let process = UnixSocket.process(listeningAt: path) else { return false }
    return awaitEnd(ofDaemon: process) { try? mount(at: place) }
}

/// The daemon's process, if it answers and serves this mount.
private func process(serving name: WorkspaceName, at place: ByteString) -> DaemonProcess? {
    let user = (try? mount(at: place))?.user
    guard
        let daemon = try? Daemon(
            of: name, at: Places.current.existingSocket(of: name), mountOf: user),
        let report = try? daemon.status(), report.mountPoint == place.wireText,
        let process = Int32(exactly: report.pid)
    else { return nil }
    return DaemonProcess(process)
}

/// A process, distinguished from later ones with the same id.
private struct DaemonProcess {
    private static let patience = Duration.seconds(60)

    private let life: ProcessLife

    var id: Int32 { life.id }

    init?(_ pid: Int32) {
        guard let life = ProcessStatus(of: pid)?.life else { return nil }
        self.life = life
    }

    /// Waits until the daemon has ended: then everything is written.
    ///
    /// It ends with its last mount. A mount namespace that was created meanwhile (a container's, a
    /// service's) may have an unintended copy: so ask the daemon to end after a while.
    func waitForEnd(_ name: WorkspaceName) throws(Failure) {
        let end = ContinuousClock.now + Self.patience
        let timeToAsk = ContinuousClock.now + .seconds(3)
        var isAsked = false
        while let status = ProcessStatus(of: life.id), status.life == life, !status.hasEnded {
            if !isAsked, ContinuousClock.now > timeToAsk { isAsked = kill(life.id, SIGTERM) == 0 }
            guard ContinuousClock.now < end else {
                throw Failure(
                    .failure,
                    "workspace '\(name)' is unmounted, and its daemon, process \(life.id), is still"
                        + " running"
                )
            }
            usleep(5000)
        }
    }
}

/// Unmounts. If the mount is busy, the failure names the processes that use it.
private func detach(
    _ place: ByteString, servedBy daemon: DaemonProcess?, lazily: Bool
) throws(Failure) {
    let end = ContinuousClock.now + .seconds(10)
    var wasUsed = true
    while true {
        do throws(Errno) { return try unmount(place, lazily: lazily) } catch {
            guard error == .busy else { throw Failure(place, error) }
        }
        // The daemon looks at the kernel's cache through its mount, after a lock or on a full disk,
        // and at what callers hand it: not for long.
        let users = processes(using: place)
        guard users.allSatisfy({ $0.id == daemon?.id }), wasUsed, ContinuousClock.now < end else {
            throw inUse(place, by: users)
        }
        wasUsed = !users.isEmpty
        usleep(5000)
    }
}

private func inUse(_ place: ByteString, by users: [ProcessName]) -> Failure {
    guard !users.isEmpty else {
        return Failure(
            .failure,
            "\(place.shown) was not unmounted: another user owns the mount or has a process in it",
            next: "mamctl status shows the daemon")
    }
    let names = users.map(\.description).joined(separator: ", ")
    return Failure(.failure, "\(place.shown) is in use by \(names)", next: "end it, and try again")
}
