// `.mamd/workspace.json`: what a backing directory claims to be. Any program that can write there
// can change it.

internal import Glibc
package import MAMModel
package import MAMSystem

/// `{"format": 1, "id": 32 hexadecimal digits, "name": NAME}`.
package struct WorkspaceManifest: Sendable, Equatable {
    package let name: WorkspaceName
    package let id: Bytes16

    package static let formatVersion = 1
    package static let fileName = "workspace.json"

    package init(name: WorkspaceName, id: Bytes16) {
        self.name = name
        self.id = id
    }

    /// Reads it from a workspace's own directory.
    package init(in own: Descriptor) throws(WorkspaceManifestError) {
        let bytes: [UInt8]
        do throws(Errno) {
            let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW
            let file = try openFile(at: own.raw, Self.fileName, flags)
            bytes = try readToEnd(of: file, maximumByteCount: 65_536)
        } catch { throw .unreadable(error) }
        guard let members = (try? JSONValue(parsing: bytes))?.object,
            let format = members["format"]?.integer,
            let id = members["id"]?.text.flatMap(Bytes16.init(hex:)),
            let name = members["name"]?.text.flatMap(WorkspaceName.init)
        else { throw .damaged }
        guard format == Self.formatVersion else { throw .newer(Int64(format)) }
        self.init(name: name, id: id)
    }

    package var json: JSONValue {
        [
            "format": JSONValue(Self.formatVersion), "id": .string(id.description),
            "name": .string(name.description),
        ]
    }
}

package enum WorkspaceManifestError: Error {
    case unreadable(Errno)
    case damaged
    /// Its format.
    case newer(Int64)
}

extension WorkspaceManifest {
    /// Of the workspace whose backing directory this is; nil if none can be read there.
    package init?(below root: Descriptor) {
        guard let own = try? openOwnDirectory(of: root), let found = try? WorkspaceManifest(in: own)
        else { return nil }
        self = found
    }
}

/// A backing directory's own directory, `.mamd`. Follows no link.
package func openOwnDirectory(of root: Descriptor) throws(Errno) -> Descriptor {
    try openFile(at: root.raw, ".mamd", O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
}

/// Whether a daemon holds the workspace of this own directory.
package func hasDaemon(_ own: Descriptor) -> Bool {
    guard let lock = try? openFile(at: own.raw, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    else { return false }
    return isLocked(lock)
}
