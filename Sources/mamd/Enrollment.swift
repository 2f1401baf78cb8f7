// Enrolment at the start: what must hold before anything is served.

import Glibc
internal import MAMCommandLine
import MAMEnrollment
internal import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace

/// Checks in and applies blocks to accounts. Probes and hooks may be slow; nothing is mounted yet.
func startEnrollment(
    of tree: Tree, _ policies: PolicyDirectory, report: (String) -> Void
) throws(Failure) {
    let vault = tree.vault
    // What issuers have proved of accounts decides which policies cover them.
    if !vault.provenGroups.isEmpty { _ = policies.reload(into: tree) }
    try requirePolicy(vault, policies.path, report)
    if vault.rules.settings.debugSettingsEnabled {
        report(
            "DebugSettingsEnabled is on: this daemon is for testing: its clock can be set over the"
                + " socket"
        )
    }
    if vault.rules.settings.hooks.checkIn != nil, hasNoNetwork {
        report(
            "the unit's sandbox denies the CheckIn hook the network; allow it in a drop-in, see"
                + " mamd(8), SANDBOX"
        )
    }
    CheckIn(tree).readPolicies { [weak tree] answer in
        tree.map { policies.reload(into: $0, answer).outcome } ?? .unchanged
    }
    // There is no mount yet, so reading the policies carried out none of them.
    if Orders(tree).hasForgottenOrders {
        Orders(tree).takeAsObeyed(policies.reload(into: tree).wipeRequests)
    }
    if let fleet = vault.fleet { Orders(tree).obeyPending(of: fleet) }
    Timers(tree).startEnrollment()
}

private func requirePolicy(
    _ vault: Vault, _ directory: String, _ report: (String) -> Void
) throws(Failure) {
    let accounts = Accounts(vault).all
    let isThere =
        accounts.isEmpty
        ? vault.policies.hasProtection
        : accounts.contains { vault.policies.covers($0.identity) }
    guard !isThere else { return }
    if vault.rules.settings.policyRequired {
        throw Failure(
            accounts.isEmpty
                ? "no app protection policy in \(directory) applies to this workspace, and"
                    + " MAMPolicyRequired is on; add one, and check it: mamctl policy check FILE"
                : "no policy in \(directory) covers an account, and MAMPolicyRequired is on; add"
                    + " one, and check it: mamctl policy check FILE")
    }
    if vault.rules.settings.policyWarnAbsent {
        report("no policy in \(directory) covers \(accounts.isEmpty ? "anybody" : "an account")")
    }
}

/// Only the loopback device is visible.
private var hasNoNetwork: Bool {
    guard let text = try? readSmallFile("/proc/self/net/dev", maximumByteCount: 1 << 20) else {
        return false
    }
    // Two header lines, and one line per device.
    return text.split(separator: UInt8(ascii: "\n")).count <= 3
}
