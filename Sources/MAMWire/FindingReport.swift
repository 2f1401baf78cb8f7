// io.mamd.Workspace's and io.mamd.Report's reports on a check.

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
