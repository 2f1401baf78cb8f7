// Finding the right daemon, and calling it.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A connection to one workspace's daemon.
final class Daemon {
    let name: WorkspaceName
    private var client: VarlinkClient

    /// Fails with `.unreachable` if nothing answers. `owner`: the user who made the mount in
    /// question.
    init(
        of name: WorkspaceName, at path: String, mountOf owner: UInt32? = nil
    ) throws(Failure) {
        self.name = name
        do throws(VarlinkClient.Failure) {
            client = try VarlinkClient(path: path, mountOf: owner)
        } catch {
            throw Self.failure(error, name)
        }
    }

    /// The daemon of the mount that an open file is in.
    convenience init(of name: WorkspaceName, servingMountOf file: Descriptor) throws(Failure) {
        try self.init(
            of: name, at: Places.current.existingSocket(of: name),
            mountOf: workspaceMount(of: file)?.user)
    }

    /// Calls a method; a refusal becomes a failure about `subject`. `meanwhile`: see
    /// ``VarlinkClient``.
    @discardableResult
    func call<Request: VarlinkRequest>(
        _ request: Request, descriptors: [Descriptor] = [], about subject: Message? = nil,
        meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Request.Reply {
        do throws(VarlinkClient.Failure) {
            return try client.call(request, descriptors: descriptors, meanwhile: meanwhile)
        } catch { throw failure(error, about: subject) }
    }

    /// Nil if the daemon does not implement the method or refuses it to this caller.
    func ifTold<Request: VarlinkRequest>(
        _ request: Request
    ) throws(Failure) -> Request.Reply? {
        do throws(Failure) { return try call(request) } catch {
            if error.status == .unreachable { throw error }
            return nil
        }
    }

    /// Makes at most ``VarlinkClient/batchCount`` calls, and waits for no reply.
    func begin<Request: VarlinkRequest>(
        _ calls: [(request: Request, descriptors: [Descriptor])]
    ) -> VarlinkClient.BegunCalls<Request> {
        client.begin(calls)
    }

    func replies<Request: VarlinkRequest>(
        to calls: VarlinkClient.BegunCalls<Request>
    ) -> [Result<Request.Reply, VarlinkClient.Failure>] {
        client.replies(to: calls)
    }

    /// Calls a method that answers again and again, until `body` is false or the connection ends.
    func stream<Request: VarlinkRequest>(
        _ request: Request, descriptors: [Descriptor] = [], about subject: Message? = nil,
        _ body: (Request.Reply) -> Bool
    ) throws(Failure) {
        do throws(VarlinkClient.Failure) {
            try client.stream(request, descriptors: descriptors, body)
        } catch { throw failure(error, about: subject) }
    }

    /// The failure for a stream that ends without its final reply.
    var hasEnded: Failure { Failure(.unreachable, "the daemon of workspace '\(name)' ended") }

    /// The whole state of the workspace.
    func status() throws -> StatusReport {
        try call(Varlink.Workspace.Status())
    }

    fileprivate var concernsUser: Bool { client.concernsUser() }

    /// `subject`: nil for the workspace.
    func failure(_ error: VarlinkClient.Failure, about subject: Message?) -> Failure {
        if let subject, case .refused(let refusal) = error {
            return Failure(refusal.workspaceError, about: subject)
        }
        return Self.failure(error, name)
    }

    private static func silent(_ name: WorkspaceName, _ process: Int32) -> Failure {
        // On a socket that systemd created, the peer is systemd, not mamd.
        let isKnown = ProcessName(process).name == "mamd"
        let who: Message =
            "the daemon of workspace '\(name)'\(isKnown ? ", process \(process)," : "")"
        if ProcessStatus(of: process)?.isStopped == true {
            return Failure(
                .unreachable, "\(who) is stopped and does not answer",
                next: "kill -CONT \(process)")
        }
        let end: Message = isKnown ? "kill \(process), and mount it again" : "mount it again"
        return Failure(
            .unreachable, "\(who) does not answer",
            next: "see journalctl -t mamd; if it is stuck: \(end)")
    }

    private static func failure(_ error: VarlinkClient.Failure, _ name: WorkspaceName) -> Failure {
        switch error {
        case .unreachable where Places.current.isServed(name): unreachedDaemon(of: name)
        case .unreachable(let path, let reason):
            Failure(
                .unreachable, "workspace '\(name)' is not mounted: \(path): \(reason)",
                next: "mamctl mount BACKING MOUNTPOINT")
        case .foreign(let path, let user):
            Failure(
                .refused,
                "workspace '\(name)': a process of uid \(user) listens at"
                    + " \(shown(path)); nothing was sent to it",
                next: "ls -l \(path); with sudo: unset XDG_RUNTIME_DIR")
        case .secretForOthers(let user):
            Failure(
                .refused,
                "workspace '\(name)' is served by uid \(user), who must not receive another user's"
                    + " passphrase",
                next: "run it as that user")
        case .silent(let process): silent(name, process).asSilence
        case .disconnected:
            Failure(
                .unreachable, "the daemon of workspace '\(name)' ended the connection",
                next: "mamctl status; see its log: journalctl -t mamd")
        case .malformed:
            Failure(
                .failure, "the daemon of workspace '\(name)' does not speak varlink",
                next: "use mamctl and mamd of the same version: mamctl version")
        case .refused(let refusal):
            Failure(refusal.workspaceError, about: "workspace '\(name)'")
        case .unknownReply(let error): Failure(any: error)
        }
    }
}

extension Failure {
    fileprivate var asSilence: Failure {
        var failure = self
        failure.isSilence = true
        return failure
    }
}

extension Invocation {
    /// The daemon of `--workspace`, else of the mount with `file`, else the only one that runs.
    func daemon(for file: Descriptor? = nil) throws(Failure) -> Daemon {
        if let name = try chosenName() {
            return try Daemon(of: name, at: Places.current.existingSocket(of: name))
        }
        if let file, let name = workspace(of: file) {
            return try Daemon(of: name, servingMountOf: file)
        }
        return try onlyDaemon()
    }

    /// The daemons of `--workspace`, or of all workspaces that run.
    func daemons() throws(Failure) -> [Daemon] {
        if arguments.has(.workspace) { return [try daemon()] }
        let running = runningDaemons()
        guard !running.isEmpty else { throw nothingRuns }
        return running
    }

    private func chosenName() throws(Failure) -> WorkspaceName? {
        guard let text = arguments.value("workspace") else { return nil }
        guard let name = text.text.flatMap({ WorkspaceName($0) }) else {
            throw Failure(
                .usage, "'\(text.shown)' is not a valid workspace name", next: "mamctl status")
        }
        return name
    }

    /// Of several daemons, ignores those that do not concern the user: root's daemons answer all
    /// users.
    private func onlyDaemon() throws(Failure) -> Daemon {
        let running = runningDaemons()
        guard let first = running.first else { throw nothingRuns }
        guard running.count > 1 else { return first }
        let mine = running.filter(\.concernsUser)
        guard let only = mine.first, mine.count == 1 else {
            let names = (mine.isEmpty ? running : mine).map(\.name.description)
                .joined(separator: ", ")
            throw Failure(
                .usage, "several workspaces are mounted: \(names)", next: "add --workspace NAME")
        }
        return only
    }
}

/// The running daemons, without those of other users.
func runningDaemons() -> [Daemon] {
    Places.current.sockets().compactMap { try? Daemon(of: $0.name, at: $0.path) }
}

/// For a daemon that holds the workspace's keys and listens nowhere, or where it cannot be found.
func unreachedDaemon(of name: WorkspaceName) -> Failure {
    let place = liveMount(of: name)
    return Failure(
        .unreachable,
        "workspace '\(name)' is served, but its daemon's socket is gone: it cannot be locked",
        next: "mamctl unmount \(place?.asArgument ?? "MOUNTPOINT"), and mount it again")
}

private var nothingRuns: Failure {
    for (name, path) in Places.current.sockets() {
        do throws(Failure) { _ = try Daemon(of: name, at: path) } catch {
            if error.status == .refused { return error }
        }
    }
    if let name = Places.current.servedWorkspaces(except: []).first {
        return unreachedDaemon(of: name)
    }
    let unmounted = Places.current.unmountedWorkspaces(except: [])
    let next: Message =
        switch unmounted.count {
        case 0: beginning
        case 1: .verbatim(unmounted[0].command)
        default: "mamctl mount BACKING MOUNTPOINT"
        }
    return Failure(.unreachable, "no workspace is mounted", next: next)
}

/// Text from the socket, with control characters escaped.
func shown(_ text: String) -> String { ByteString(text).shown }

/// What to do where there is no workspace at all.
var beginning: Message {
    geteuid() == 0 && getenv("SUDO_USER") != nil
        ? "this is root, who has workspaces of its own: without sudo" : "mamctl setup"
}
