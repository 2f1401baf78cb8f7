// Reports on a workspace, its accounts, and a check of its files.

internal import Glibc
package import MAMModel

package typealias StatusReport = Varlink.Workspace.Status.Reply
package typealias AccountReport = Varlink.Workspace.Account
package typealias FindingReport = Varlink.Workspace.Finding
package typealias VerifyReport = Varlink.Workspace.VerifyCounts
package typealias LastVerifyReport = Varlink.Report.Verification

extension VerifyReport {
    package var status: ExitStatus {
        if left > 0 || quarantined > 0 || incomplete > 0 { return .damaged }
        if unreadable > 0 { return .unreadable }
        return unchecked > 0 || uncheckedFiles > 0 ? .windowClosed : .success
    }
}

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
