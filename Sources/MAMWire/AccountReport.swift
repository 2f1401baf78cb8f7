// What io.mamd.Workspace tells of a workspace and of its accounts.

package import MAMModel

package typealias StatusReport = Varlink.Workspace.Status.Reply
package typealias AccountReport = Varlink.Workspace.Account

extension AccountReport {
    /// A state that only a later daemon knows counts as locked.
    package var window: WindowState { WindowState(rawValue: state) ?? .locked }
}
