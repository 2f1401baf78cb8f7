// Finds the sockets of daemons.

internal import Glibc
internal import MAMSystem

extension Places {
    /// The directories that a client searches for sockets: the user's first, then the system's.
    package var socketRoots: [String] {
        runtimeRoot == Self.systemRuntimeRoot
            ? [runtimeRoot] : [runtimeRoot, Self.systemRuntimeRoot]
    }

    /// The sockets of workspaces that seem to be running, sorted by name.
    ///
    /// A killed daemon leaves its socket behind; only connecting tells.
    package func sockets() -> [(name: WorkspaceName, path: String)] {
        var found: [(name: WorkspaceName, path: String)] = []
        for root in socketRoots {
            let entries = (try? entries(of: ByteString(root))) ?? []
            for entry in entries.compactMap(\.text).sorted() where entry.hasSuffix(".sock") {
                guard let name = WorkspaceName(String(entry.dropLast(5))) else { continue }
                found.append((name, "\(root)/\(entry)"))
            }
        }
        return found
    }

    /// A workspace's socket: the first that exists, else where this user's would be.
    package func existingSocket(of name: WorkspaceName) -> String {
        let paths = socketRoots.map { "\($0)/\(name).sock" }
        return paths.first { access($0, F_OK) == 0 } ?? socket(of: name)
    }
}
