// What to verify, and the daemon that does it: the mount's, or one started for the check.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

struct VerifySubject {
    let daemon: Daemon
    /// Nil for the whole workspace.
    let file: Descriptor?
    /// Nil if the daemon was already running.
    let started: (process: pid_t, pipe: Descriptor)?

    init(_ invocation: Invocation) throws {
        guard let path = invocation.operands.first else {
            (daemon, file, started) = (try invocation.daemon(), nil, nil)
            return
        }
        let file = try openFile(path, openPathOnly)
        self.file = file
        if workspace(of: file) != nil {
            (daemon, started) = (try invocation.daemon(for: file), nil)
            return
        }
        guard let backing = backingDirectory(around: path.resolved ?? path) else {
            throw Failure(.notFound, "\(path.shown) is not in a workspace", next: "mamctl status")
        }
        let name = try Self.name(of: backing)
        let socket = Places.current.existingSocket(of: name)
        if let running = try? Daemon(of: name, at: socket),
            try running.status().backingDirectory == backing.wireText
        {
            (daemon, started) = (running, nil)
            return
        }
        let isReadOnly = !invocation.arguments.has("repair")
        started = try Self.start(on: backing, isReadOnly: isReadOnly)
        daemon = try Daemon(of: name, at: Places.current.ownSocket(of: name))
    }

    private static func name(of backing: ByteString) throws(Failure) -> WorkspaceName {
        let file = backing.appending(".mamd/workspace.json")
        let bytes = try readFile(file, atMost: 65_536)
        guard
            let name = (try? JSONValue(parsing: bytes))?.object?["name"]?.text
                .flatMap({ WorkspaceName($0) })
        else { throw Failure(.damaged, "\(file.shown) is damaged: format, id or name is missing") }
        return name
    }

    private static func start(
        on backing: ByteString, isReadOnly: Bool
    ) throws -> (process: pid_t, pipe: Descriptor) {
        let program = companion("mamd")
        let options = isReadOnly ? [ByteString("-o"), ByteString("ro")] : []
        let command = [program, ByteString("--no-mount")] + options
        switch try startDaemon(command, [backing]) {
        case .serves(let process, let pipe): return (process, pipe)
        case .ended(let end):
            guard case .exited(let code) = end, let status = ExitStatus(rawValue: code) else {
                throw Failure(.failure, "\(program.shown) \(end) before it served")
            }
            throw Failure(status, "\(backing.shown) cannot be checked: mamd \(end)")
        }
    }

    /// Ends a daemon that was started and waits for it: then the workspace can be mounted again.
    func finish() {
        guard let started else { return }
        kill(started.process, SIGTERM)
        _ = try? wait(for: started.process)
    }
}

extension Invocation {
    /// `--unlock`: only for a daemon that ends with the check, so that no mount stays unlocked.
    func unlockForCheck(_ subject: VerifySubject) throws {
        guard let account = try arguments.text("unlock") else { return }
        guard subject.started != nil else {
            throw Failure(
                .usage, "--unlock is only for workspaces that are not mounted",
                next: "mamctl unlock \(account)")
        }
        let status = try subject.daemon.status()
        guard let found = status.accounts.first(where: { $0.isNamed(account) }) else {
            throw Failure(.unknownAccount(account), about: "workspace '\(subject.daemon.name)'")
        }
        _ = try unlock(found, of: subject.daemon)
    }
}
