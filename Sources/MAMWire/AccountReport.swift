// io.mamd.Workspace's reports on a workspace and its accounts.

package import MAMModel
package import MAMWords

package typealias StatusReport = Varlink.Workspace.Status.Reply
package typealias AccountReport = Varlink.Workspace.Account

extension AccountReport {
    /// An unknown state, from a newer daemon, counts as locked.
    package var window: WindowState { WindowState(rawValue: state) ?? .locked }

    /// Why it is blocked, for people.
    package var blockMessage: Message { Message(blockWords, else: blockReason) }
}
