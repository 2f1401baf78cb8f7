// The workspace that a mount shows, and whether it still does.

internal import Glibc
package import MAMModel
package import MAMSystem

extension Mount {
    /// The workspace's name; nil for any other mount.
    package var workspace: WorkspaceName? {
        guard type == Self.workspaceType else { return nil }
        return String(validating: source, as: UTF8.self).flatMap { WorkspaceName($0) }
    }
}

extension Mount {
    /// The user who made a FUSE mount; nil for any other.
    package var user: UInt32? {
        options.split { $0 == " " || $0 == "," }.lazy
            .compactMap { $0.hasPrefix("user_id=") ? UInt32($0.dropFirst(8)) : nil }.first
    }
}

/// The workspace mount that contains the open file; nil outside.
package func workspaceMount(of file: Descriptor) -> (name: WorkspaceName, user: UInt32?)? {
    guard let mount = try? MountTable().mount(of: file.raw), let name = mount.workspace else {
        return nil
    }
    return (name, mount.user)
}

/// The workspace whose mount contains the open file; nil outside.
package func workspace(of file: Descriptor) -> WorkspaceName? {
    workspaceMount(of: file)?.name
}

// MARK: A mount whose daemon was killed answers nothing, and blocks the next one

/// True for a workspace's mount whose daemon has died. While it exists, nothing can be written into
/// the directory below it.
package func isDeadMount(_ place: ByteString) throws(Errno) -> Bool {
    guard let root = try? openFile(place.cString, openPathOnly) else { return false }
    return try isDeadMount(root)
}

/// For the root of a mount, opened with `O_PATH`.
package func isDeadMount(_ root: Descriptor) throws(Errno) -> Bool {
    try withExtendedLifetime(root) { () throws(Errno) in
        // Attributes may be in the kernel's cache; statvfs always asks the daemon.
        var space = statvfs()
        guard fstatvfs(root.raw, &space) != 0 else { return false }
        guard Errno.current.meansDeadDaemon else { return false }
        let place = try currentPath(of: root.raw)
        guard let mount = try MountTable().mount(of: root.raw) else { return false }
        return mount.workspace != nil && mount.mountPoint == place.bytes
    }
}
