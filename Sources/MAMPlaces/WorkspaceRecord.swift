// What this machine's settings say of a workspace: which it is, and where. Nothing in the backing
// directory changes it, and so it decides which settings, policies and keys a backing directory is
// served with.

internal import Glibc
package import MAMModel
package import MAMSystem

/// `workspace.json` beside the settings, and `BACKING=` of the unit's file `mount`.
package struct WorkspaceRecord: Sendable {
    package let id: Bytes16
    package let backing: ByteString
    /// Nil without the file.
    package let unitBacking: ByteString?

    package func isAt(_ root: Descriptor) -> Bool {
        [backing, unitBacking].compactMap(\.self).contains { place in
            guard let here = try? status(at: root.raw, ""),
                let there = try? status(at: workingDirectory, place.cString, followLinks: true)
            else { return false }
            return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
        }
    }
}

/// Why a backing directory is not what it says.
package enum WorkspaceMismatch: Error, Sendable {
    /// The settings know no workspace of that name.
    case unknown
    /// That name is another workspace's.
    case otherID
    /// That workspace is elsewhere, as far as the settings know.
    case otherPlace(ByteString)
    /// The settings say that this directory is the workspace of another name.
    case otherName(WorkspaceName)
}

extension Places {
    package func recordPath(of name: WorkspaceName) -> String {
        "\(configuration(of: name))/workspace.json"
    }

    /// Nil for a workspace that the settings do not know, or not wholly.
    package func record(of name: WorkspaceName) -> WorkspaceRecord? {
        guard let bytes = try? readSmallFile(recordPath(of: name), maximumByteCount: 65_536),
            let members = (try? JSONValue(parsing: bytes))?.object,
            let id = members["id"]?.text.flatMap(Bytes16.init(hex:)),
            let backing = members["backingDirectory"]?.text
        else { return nil }
        return WorkspaceRecord(
            id: id, backing: ByteString(shown: backing),
            unitBacking: unitSettings(of: name)["BACKING"])
    }

    /// `KEY=VALUE` lines of the file `mount`.
    package func unitSettings(of name: WorkspaceName) -> [String: ByteString] {
        let path = "\(configuration(of: name))/mount"
        let bytes = (try? readSmallFile(path, maximumByteCount: 65_536)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { found, line in
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, let key = ByteString(Array(parts[0])).text else { return }
            found[key] = ByteString(Array(parts[1]))
        }
    }

    /// Refuses a backing directory whose manifest leads to settings that are not its own.
    package func check(
        _ manifest: WorkspaceManifest, of root: Descriptor
    ) throws(WorkspaceMismatch) {
        let record = record(of: manifest.name)
        if let record, record.id == manifest.id, record.isAt(root) { return }
        if let other = workspace(at: root), other != manifest.name { throw .otherName(other) }
        guard let record else { throw .unknown }
        guard record.id == manifest.id else { throw .otherID }
        throw .otherPlace(record.backing)
    }

    /// The workspace whose backing directory this is by the settings.
    package func workspace(at root: Descriptor) -> WorkspaceName? {
        let names = (try? entries(of: ByteString(configurationRoot))) ?? []
        return names.compactMap { $0.text.flatMap { WorkspaceName($0) } }
            .first { record(of: $0)?.isAt(root) == true }
    }
}
