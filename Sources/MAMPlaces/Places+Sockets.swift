// Finding the daemons that may answer.

internal import Glibc
internal import MAMSystem

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

    /// The socket of a workspace by name: the first that exists, else where this user's would be.
    package func existingSocket(of name: WorkspaceName) -> String {
        let paths = socketRoots.map { "\($0)/\(name).sock" }
        return paths.first { access($0, F_OK) == 0 } ?? socket(of: name)
    }
}
