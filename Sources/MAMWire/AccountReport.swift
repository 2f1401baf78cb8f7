// io.mamd.Workspace's reports on a workspace and its accounts.

internal import Glibc
package import MAMModel

package typealias StatusReport = Varlink.Workspace.Status.Reply
package typealias AccountReport = Varlink.Workspace.Account

extension AccountReport {
    /// Why it is blocked, for people.
    package var blockMessage: Message { Message(blockWords, else: blockReason) }
}

extension StatusReport {
    /// The accounts to suggest: other users' stay hidden.
    package var ownAccounts: [AccountReport] {
        let isTrusted = geteuid() == 0 || geteuid() == uid
        return accounts.filter { isTrusted || $0.uid == geteuid() }
    }
}

extension VarlinkClient {
    /// True if it is the user's own daemon or has accounts of the user.
    package mutating func concernsUser() -> Bool {
        // A user's own daemon that hangs still counts, or a call would go to another workspace.
        guard let report = try? call(Varlink.Workspace.Status()) else { return user == geteuid() }
        return report.uid == geteuid() || !report.ownAccounts.isEmpty
    }
}
