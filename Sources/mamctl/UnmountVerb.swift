// `unmount`: takes the mount away and waits until its daemon has ended.

internal import Glibc
internal import MAMControl
internal import MAMModel
internal import MAMSystem

func unmountWorkspace(_ invocation: Invocation) throws -> ExitStatus {
    let path = invocation.operands[0]
    guard let place = path.resolvedDirectory, let found = try mountOfWorkspace(path, place) else {
        throw Failure(
            access(path.cString, F_OK) == 0 ? .failure : .notFound,
            "\(path.shown) is not the mount point of a workspace", next: "mamctl status")
    }
    let daemon = process(serving: found.name, at: found.place)
    try detach(found.place, lazily: false)
    if let daemon { try daemon.waitForEnd(found.name) }
    if invocation.isJSON {
        printJSON(["mountPoint": .string(found.place.shown), "unmounted": true])
    } else {
        printOut("\(path.shown) is unmounted")
    }
    return .success
}

/// The path as it is, or where its link leads.
private func mountOfWorkspace(
    _ path: ByteString, _ place: ByteString
) throws(Failure) -> (name: WorkspaceName, place: ByteString)? {
    for candidate in [place, path.resolved ?? place] {
        if let name = try mount(at: candidate)?.workspace { return (name, candidate) }
    }
    return nil
}

/// The daemon's process, if it answers and serves this mount.
private func process(serving name: WorkspaceName, at place: ByteString) -> DaemonProcess? {
    guard let daemon = try? Daemon(of: name, at: Places.current.existingSocket(of: name)),
        let report = try? daemon.status(), report.mountPoint == place.wireText
    else { return nil }
    return DaemonProcess(report.pid)
}

/// A process, held by its directory in /proc: unlike its number, that never becomes another's.
private struct DaemonProcess {
    private static let patience = Duration.seconds(60)

    private let pid: Int32
    private let directory: Descriptor

    init?(_ pid: Int32) {
        guard let directory = try? openFile("/proc/\(pid)", O_RDONLY | O_DIRECTORY) else {
            return nil
        }
        self.pid = pid
        self.directory = directory
    }

    /// What it still had to write is written when it has ended.
    ///
    /// The kernel ends it with the last mount. A mount name space that was made meanwhile (a container's, a
    /// service's) may have one more, which nobody means to keep: then the daemon is asked to end.
    func waitForEnd(_ name: WorkspaceName) throws(Failure) {
        let end = ContinuousClock.now + Self.patience
        let timeToAsk = ContinuousClock.now + .seconds(3)
        var isAsked = false
        while isAlive {
            if !isAsked, ContinuousClock.now > timeToAsk { isAsked = kill(pid, SIGTERM) == 0 }
            guard ContinuousClock.now < end else {
                throw Failure(
                    .failure,
                    "workspace '\(name)' is unmounted, and its daemon, process \(pid), still runs")
            }
            usleep(5000)
        }
    }

    /// False for one that has ended and that nobody has waited for yet.
    ///
    /// The first thread's end is not the process's: while another is still leaving, files stay open and locked.
    private var isAlive: Bool {
        guard let text = try? readSmallFile(at: directory.raw, "stat", maximumByteCount: 4096),
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return false }
        // proc_pid_stat(5): field 3 is the state, and 20 the number of threads.
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 17 else { return false }
        let hasOthers = !fields[17].elementsEqual("1".utf8) && !fields[17].elementsEqual("0".utf8)
        return !fields[0].elementsEqual("Z".utf8) || hasOthers
    }
}

/// Names who keeps a busy mount.
func detach(_ place: ByteString, lazily: Bool) throws(Failure) {
    do throws(Errno) { try unmount(place, lazily: lazily) } catch {
        guard error == .busy else { throw Failure(place, error) }
        let users = processes(using: place)
        guard users.isEmpty else {
            let names = users.map(\.description).joined(separator: ", ")
            throw Failure(
                .failure, "\(place.shown) is in use by \(names)", next: "end it, and try again")
        }
        throw Failure(
            .failure,
            "\(place.shown) was not unmounted: it is in use by a process of another user, or fusermount3 said why above"
        )
    }
}
