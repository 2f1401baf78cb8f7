// From a mount to the workspace that it shows.

package import MAMSystem

extension Mount {
    /// The workspace that this mount shows; nil for any other mount.
    package var workspace: WorkspaceName? {
        guard type == Self.workspaceType else { return nil }
        return String(validating: source, as: UTF8.self).flatMap { WorkspaceName($0) }
    }
}

/// The workspace whose mount the open file lies in; nil outside of any.
package func workspace(of file: Descriptor) -> WorkspaceName? {
    (try? MountTable().mount(of: file.raw))?.workspace
}
