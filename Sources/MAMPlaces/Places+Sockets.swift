// Finds the sockets of daemons.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Places {
    /// Where this user's daemon of that name listens, too: a logout takes `XDG_RUNTIME_DIR` away,
    /// and without a session there is none. Nil for the system's, whose place stays.
    package func lastingSocket(of name: WorkspaceName) -> String? {
        runtimeRoot == Self.systemRuntimeRoot ? nil : "\(stateRoot)/\(name).sock"
    }

    /// The directories that a client searches for sockets, each with the places that one daemon may
    /// have: the user's first, then the system's.
    private var socketRoots: [[String]] {
        let own = [runtimeRoot, stateRoot]
        return runtimeRoot == Self.systemRuntimeRoot ? [own] : [own, [Self.systemRuntimeRoot]]
    }

    /// The sockets of workspaces that seem to be running, one of each daemon, sorted by name.
    ///
    /// A killed daemon leaves its socket behind; only connecting tells.
    package func sockets() -> [(name: WorkspaceName, path: String)] {
        socketRoots.flatMap { roots -> [(name: WorkspaceName, path: String)] in
            let names = roots.flatMap { (try? entries(of: ByteString($0))) ?? [] }
                .compactMap(\.text).filter { $0.hasSuffix(".sock") }
            return Set(names).sorted().compactMap { entry -> (name: WorkspaceName, path: String)? in
                guard let name = WorkspaceName(String(entry.dropLast(5))),
                    let path = Self.socket(of: name, in: roots)
                else { return nil }
                return (name, path)
            }
        }
    }

    /// A workspace's socket: the first that exists, else where this user's would be.
    package func existingSocket(of name: WorkspaceName) -> String {
        socketRoots.lazy.compactMap { Self.socket(of: name, in: $0) }.first ?? socket(of: name)
    }

    /// The same of this user's own daemons alone.
    package func ownSocket(of name: WorkspaceName) -> String {
        Self.socket(of: name, in: socketRoots[0]) ?? socket(of: name)
    }

    /// Of a daemon's places that exist, one where it listens. Where systemd listens for it, it may
    /// be a daemon of an earlier login that runs.
    private static func socket(of name: WorkspaceName, in roots: [String]) -> String? {
        let paths = roots.map { "\($0)/\(name).sock" }.filter(isThere)
        guard paths.count > 1 else { return paths.first }
        var another: String?
        for path in paths {
            guard let listener = UnixSocket.listener(at: path) else { continue }
            if isMamd(listener) { return path }
            another = another ?? path
        }
        return another ?? paths[0]
    }

    private static func isMamd(_ process: Int32) -> Bool {
        process > 0 && ProcessName(process).name == "mamd"
    }

    /// A directory of that name is the state of another workspace.
    private static func isThere(_ path: String) -> Bool {
        guard let status = try? status(at: workingDirectory, path) else { return false }
        return status.st_mode & S_IFMT != S_IFDIR
    }

    /// Whether a daemon holds the workspace's keys, wherever it listens.
    package func isServed(_ name: WorkspaceName) -> Bool {
        guard let state = try? openFile(state(of: name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else {
            return false
        }
        return isLocked(state)
    }
}
