// The workspace that a mount shows.

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
