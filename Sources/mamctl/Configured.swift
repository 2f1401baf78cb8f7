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
                name: name, backing: unit["BACKING"] ?? notedBacking(of: name),
                mountPoint: unit["MOUNTPOINT"])
        }
    }

    private func notedBacking(of name: WorkspaceName) -> ByteString? {
        let path = "\(configuration(of: name))/workspace.json"
        guard let bytes = try? readSmallFile(path, maximumByteCount: 65_536),
            let noted = try? JSONValue(parsing: bytes)
        else { return nil }
        return noted.object?["backingDirectory"]?.text.map { ByteString(shown: $0) }
    }

    /// `KEY=VALUE` lines of the file `mount`.
    private func unitSettings(of name: WorkspaceName) -> [String: ByteString] {
        let path = "\(configuration(of: name))/mount"
        let bytes = (try? readSmallFile(path, maximumByteCount: 65_536)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { found, line in
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, let key = ByteString(Array(parts[0])).text else { return }
            found[key] = ByteString(Array(parts[1]))
        }
    }
}

private func isDirectory(_ path: String) -> Bool {
    guard let status = try? status(at: workingDirectory, path) else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
}
