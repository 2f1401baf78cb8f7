// Finding the daemons that may answer.

internal import Glibc

extension Places {
    /// The directories in which a client looks for sockets: the user's first, then the system's.
    package var socketRoots: [String] {
        runtimeRoot == Self.systemRuntimeRoot
            ? [runtimeRoot] : [runtimeRoot, Self.systemRuntimeRoot]
    }

    /// The sockets of the workspaces that seem to run, in the order of their names.
    ///
    /// A daemon that was killed leaves its socket; only connecting tells.
    package func sockets() -> [(name: WorkspaceName, path: String)] {
        socketRoots.flatMap { root in
            Self.entries(of: root).compactMap { entry in
                guard entry.hasSuffix(".sock"), let name = WorkspaceName(String(entry.dropLast(5)))
                else { return nil }
                return (name, "\(root)/\(entry)")
            }
        }
    }

    /// The socket of a workspace by name: the first that exists, else where this user's would be.
    package func existingSocket(of name: WorkspaceName) -> String {
        let paths = socketRoots.map { "\($0)/\(name).sock" }
        return paths.first { access($0, F_OK) == 0 } ?? socket(of: name)
    }

    private static func entries(of directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names.sorted()
    }
}
