// From a mount to the workspace that it shows.

package import MAMSystem

extension Mount {
    /// The workspace that this mount shows; nil for any other mount.
    package var workspace: WorkspaceName? {
        guard type == Self.workspaceType else { return nil }
        return String(validating: source, as: UTF8.self).flatMap { WorkspaceName($0) }
    }
}
