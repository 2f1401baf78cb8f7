// This machine's record of a workspace: its id and location. Writers of the backing directory
// cannot change it, so it decides which settings, policies and keys serve a backing directory.

internal import Glibc
package import MAMModel
package import MAMSystem

/// `workspace.json` beside the settings, and `BACKING=` in the unit's file `mount`.
package struct WorkspaceRecord: Sendable {
    package let id: Bytes16
    package let backing: ByteString
    /// Nil if there is no such file.
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

/// Why a backing directory is not what it claims to be.
package enum WorkspaceMismatch: Error, Sendable {
    /// There are no settings for that name.
    case unknown
    /// The name belongs to another workspace.
    case otherID
    /// According to the settings, that workspace is elsewhere.
    case otherPlace(ByteString)
    /// According to the settings, this directory belongs to another workspace.
    case otherName(WorkspaceName)
}

extension Places {
    package func recordPath(of name: WorkspaceName) -> String {
        "\(configuration(of: name))/workspace.json"
    }

    /// Nil if the settings lack the workspace, or part of it.
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

    /// The `KEY=VALUE` lines of the file `mount`.
    package func unitSettings(of name: WorkspaceName) -> [String: ByteString] {
        let path = "\(configuration(of: name))/mount"
        let bytes = (try? readSmallFile(path, maximumByteCount: 65_536)) ?? []
        return bytes.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { found, line in
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, let key = ByteString(Array(parts[0])).text else { return }
            found[key] = ByteString(Array(parts[1]))
        }
    }

    /// Refuses a backing directory whose manifest names settings that are not its own.
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

    /// The workspace that the settings know at this path, whatever is there now.
    package func workspace(recordedAt path: ByteString) -> WorkspaceName? {
        recordedNames.first { name in
            record(of: name).map { [$0.backing, $0.unitBacking].contains(path) } == true
        }
    }

    private var recordedNames: [WorkspaceName] {
        ((try? entries(of: ByteString(configurationRoot))) ?? [])
            .compactMap { $0.text.flatMap { WorkspaceName($0) } }
    }

    /// The workspace that has this backing directory, according to the settings.
    package func workspace(at root: Descriptor) -> WorkspaceName? {
        recordedNames.first { record(of: $0)?.isAt(root) == true }
    }

    /// The workspace with this id whose backing directory is not where the settings have it.
    package func missingWorkspace(withID id: Bytes16) -> WorkspaceName? {
        recordedNames.first { name in
            record(of: name).map { record in
                record.id == id
                    && [record.backing, record.unitBacking].compactMap(\.self)
                        .allSatisfy(isMissing)
            } == true
        }
    }

    /// Whether no workspace is there.
    package func isMissing(_ backing: ByteString) -> Bool {
        access(backing.appending(".mamd/workspace.json").cString, F_OK) != 0
            && [.noEntry, .notDirectory].contains(Errno.current)
    }
}

/// Whether a directory is there, with something in it.
package func hasContent(_ directory: ByteString) -> Bool {
    (try? entries(of: directory))?.isEmpty == false
}
