// From a mount to the workspace that it shows.

package import MAMSystem

extension Mount {
    /// The workspace that this mount shows; nil for any other mount.
    package var workspace: WorkspaceName? {
        guard type == Self.workspaceType else { return nil }
        return String(validating: source, as: UTF8.self).flatMap { WorkspaceName($0) }
    }
}

extension Mount {
    /// The user who made a mount of FUSE's; nil for any other.
    package var user: UInt32? {
        options.split { $0 == " " || $0 == "," }.lazy
            .compactMap { $0.hasPrefix("user_id=") ? UInt32($0.dropFirst(8)) : nil }.first
    }
}

/// The mount of a workspace that the open file is in; nil outside of any.
package func workspaceMount(of file: Descriptor) -> (name: WorkspaceName, user: UInt32?)? {
    guard let mount = try? MountTable().mount(of: file.raw), let name = mount.workspace else {
        return nil
    }
    return (name, mount.user)
}

/// The workspace whose mount the open file is in; nil outside of any.
package func workspace(of file: Descriptor) -> WorkspaceName? {
    workspaceMount(of: file)?.name
}
