// Decisions and events on the wire.

import CInterfaces
import MAMIdentity
import MAMModel
import MAMVault
import MAMWire
import Testing

@testable import MAMControl

@Suite struct PolicyWireTests {
    @Test(arguments: ["printBlocked", nil])
    func `a decision survives the wire`(rule: String?) throws {
        let reason: Message = "why, \("ann")"
        let decision = Decision(isAllowed: rule == nil, reason: reason, rule: rule)
        let wire = try Varlink.Policy.Decision(
            Parameters(Varlink.Policy.Decision(decision).members))
        #expect((wire.allowed, wire.reason, wire.rule) == (rule == nil, "why, ann", rule))
        #expect(wire.message == reason)
    }

    static let events: [(AccountEvent.Kind, String)] = [
        (.willBecomeUnavailable(seconds: 1), "will-become-unavailable"),
        (.unavailable, "unavailable"), (.available, "available"),
        (.idleLockDue(seconds: 1), "idle-lock-due"), (.idleLockAverted, "idle-lock-averted"),
        (.blocked(AccountBlock(.offline, "why")), "blocked"), (.unblocked, "unblocked"),
        (.wiped, "wiped"), (.policyChanged, "policy-changed"),
        (.dataProtectionChanged, "data-protection-changed"),
        (.appConfigurationChanged, "app-config-changed"), (.launchWarning("why"), "launch-warning"),
        (.enrollment(.init(.policy, succeeded: true, code: 100)), "enrollment-status"),
        (.checkedIn(failure: nil), "check-in"), (.userStatusChanged(2), "user-status-changed"),
        (.complianceChecked(1), "compliance-status"), (.restartRequired, "restart-required"),
        (
            .identitySwitchRequired(session: "1", to: "", because: .openURL),
            "identity-switch-required"
        ),
        (.uiTaken(session: "1"), "ui-taken"), (.uiReleased(session: "1"), "ui-released"),
        (.policyRefused(document: "a.json", reason: "why"), "policy-refused"),
        (.accountToAdd("a@b"), "account-to-add"),
        (.allowedAccountsChanged, "allowed-accounts-changed"), (.backingGone, "backing-gone"),
    ]

    @Test func `each event has its word, and the interface names it`() throws {
        let text = String(cString: try #require(interface_text(Varlink.Workspace.name)))
        for (kind, word) in Self.events {
            #expect(kind.wire.event == word)
            #expect(text.contains(word))
        }
        #expect(Set(Self.events.map(\.1)).count == Self.events.count)
    }
}
