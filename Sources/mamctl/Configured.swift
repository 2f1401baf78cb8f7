// Workspaces that this user has, mounted or not.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A workspace with settings or keys, of which no daemon answers.
struct UnmountedWorkspace {
    let name: WorkspaceName
    /// As its unit has them (docs/ARCHITECTURE.md), else as `init` noted it; nil where nothing says.
    let backing: ByteString?
    let mountPoint: ByteString?

    var command: String {
        "mamctl mount \(backing?.asArgument ?? "BACKING") \(mountPoint?.asArgument ?? "MOUNTPOINT")"
    }

    var json: JSONValue {
        [
            "name": .string(name.description), "mounted": false,
            "backingDirectory": JSONValue(backing?.wireText),
            "mountPoint": JSONValue(mountPoint?.wireText), "next": .string(command),
        ]
    }
}

extension Places {
    /// Those that have settings or a state directory here, but for the named ones, by name.
    func unmountedWorkspaces(except running: [String]) -> [UnmountedWorkspace] {
        let found = [configurationRoot, stateRoot].flatMap { root in
            ((try? entries(of: ByteString(root))) ?? []).compactMap(\.text)
                .filter { isDirectory("\(root)/\($0)") }
        }
        let names = Set(found).subtracting(running).sorted().compactMap { WorkspaceName($0) }
        return names.map { name in
            let unit = unitSettings(of: name)
            return UnmountedWorkspace(
                name: name, backing: unit["BACKING"] ?? record(of: name)?.backing,
                mountPoint: unit["MOUNTPOINT"])
        }
    }
}

private func isDirectory(_ path: String) -> Bool {
    guard let status = try? status(at: workingDirectory, path) else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
}
