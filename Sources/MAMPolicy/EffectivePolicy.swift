// The combined policy of several documents.

package import MAMModel

/// The most restrictive value of each rule. A rule is nil if no document sets it.
package struct EffectivePolicy: Sendable {
    package let rules: PolicyRules
    /// Nil: ``rules``. Apart, since a policy is copied at every open.
    private let apartWipeRules: ApartRules?
    /// The documents, to report a rule's origin.
    package let sources: [PolicyDocument]

    /// For identities without a policy: nothing is restricted.
    package static let unrestricted = merge([])

    /// Merges the documents in force, in any order.
    package static func merge(_ documents: [PolicyDocument]) -> EffectivePolicy {
        merge(documents, wiping: documents.filter(\.mayWipe))
    }

    /// `wiping`: those of the documents that may wipe the account.
    static func merge(
        _ documents: [PolicyDocument], wiping: [PolicyDocument]
    ) -> EffectivePolicy {
        let sources = documents.filter(\.isProtectionInForce)
        let wiping = wiping.filter(\.isProtectionInForce)
        return EffectivePolicy(
            rules: strictest(sources.map(\.rules)),
            apartWipeRules: wiping.count == sources.count
                ? nil : ApartRules(strictest(wiping.map(\.rules))),
            sources: sources)
    }

    /// For accounts that are merged into one: the most restrictive value of every rule.
    package static func lockDown(of policies: [EffectivePolicy]) -> EffectivePolicy {
        EffectivePolicy(
            rules: strictest(policies.map(\.rules)),
            apartWipeRules: policies.allSatisfy { $0.apartWipeRules == nil }
                ? nil : ApartRules(strictest(policies.map(\.wipeRules))),
            sources: policies.flatMap(\.sources))
    }

    /// The rules of the documents alone that may wipe: an account is wiped only if these, without
    /// any other document, demand it.
    var wipeRules: PolicyRules { apartWipeRules?.rules ?? rules }

    /// As if there were those documents alone.
    var wiping: EffectivePolicy {
        EffectivePolicy(rules: wipeRules, apartWipeRules: nil, sources: [])
    }

    private static func strictest(_ all: [PolicyRules]) -> PolicyRules {
        // Most accounts have one protection.
        if all.count == 1 { return all[0] }
        var merged = PolicyRules()
        for field in RuleField.all { field.merge(all, &merged) }
        return merged
    }

    /// The class rule for a managed owner's files.
    ///
    /// `deviceDefault`: the class for a document without an encryption rule, or with
    /// `useDeviceSettings`; it may be stricter than another document's class.
    package func classRule(
        deviceDefault: ProtectionClass, ceiling: ProtectionClass
    ) -> ClassRule {
        let classes = (sources.map(\.rules) + [rules]).map {
            ($0.appDataEncryptionType ?? .useDeviceSettings).protectionClass(
                deviceDefault: deviceDefault)
        }
        return ClassRule(
            policyClass: classes.reduce(.none) { $0.stricter(of: $1) }, ceiling: ceiling)
    }

    /// The permitted destinations of the account's data.
    package var outbound: DataTransfers {
        rules.allowedOutboundDataTransferDestinations ?? .allApps
    }

    /// True if anybody may get the account's data.
    package var sendsToAll: Bool { outbound == .allApps }

    /// True if the account's data may not be saved just anywhere.
    package var keepsData: Bool { !sendsToAll || rules.saveAsBlocked == true }

    /// True if the account's data may not be copied for just anybody.
    package var keepsCopies: Bool { rules.restrictsCopying }

    /// Whether one of the documents comes from an organisation's tenant.
    package var isFromTenant: Bool { sources.contains(where: \.isFromTenant) }

    /// Whether a process may open an account's file, which is a transfer, for root too. The mount
    /// and the socket check this at every open, so it does not take the policy, which would be
    /// copied.
    ///
    /// `asOwner`: whether the process acts for the account. `sendsToAll`: its policy's.
    package static func letsRead(asOwner: Bool, sendsToAll: Bool) -> Bool { asOwner || sendsToAll }

    /// Seconds without a check-in after which the account is closed, by what rule; nil for never.
    /// A time to wipe closes, too, also that of a document that may not wipe.
    package var offlineBlock: (seconds: Int64, rule: String)? {
        [
            (rules.periodOfflineBeforeAccessCheck, "periodOfflineBeforeAccessCheck"),
            (rules.periodOfflineBeforeWipeIsEnforced, "periodOfflineBeforeWipeIsEnforced"),
        ].compactMap { period, rule in Self.unlessZero(period).map { (seconds: $0, rule: rule) } }
            .min { $0.seconds < $1.seconds }
    }

    /// Seconds without a check-in after which the account is wiped, unless its passphrase is given;
    /// nil for never.
    package var offlineWipeSeconds: Int64? {
        Self.unlessZero(wipeRules.periodOfflineBeforeWipeIsEnforced)
    }

    /// Whether what may wipe counts time without a sign-in as time offline.
    package var wipesForCredentials: Bool { wipeRules.organizationalCredentialsRequired == true }

    static func unlessZero(_ duration: PolicyDuration?) -> Int64? {
        duration.flatMap { $0.seconds > 0 ? $0.seconds : nil }
    }

    /// The permitted sources of the account's data.
    package var inbound: DataTransfers { rules.allowedInboundDataTransferSources ?? .allApps }
}

private final class ApartRules: Sendable {
    let rules: PolicyRules

    init(_ rules: PolicyRules) { self.rules = rules }
}

/// Policies with equal rules are equal, whichever documents they come from.
extension EffectivePolicy: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        (one.rules, one.wipeRules) == (other.rules, other.wipeRules)
    }
}

/// Policy's class, and the strictest that the workspace allows (`MaxFileProtectionLevel`).
package struct ClassRule: Sendable, Equatable {
    package let policyClass: ProtectionClass
    package let ceiling: ProtectionClass

    /// The stricter of policy's class and the requested one.
    package func wantedClass(asked: ProtectionClass?) -> ProtectionClass {
        asked.map(policyClass.stricter) ?? policyClass
    }

    package func effectiveClass(asked: ProtectionClass?) -> ProtectionClass {
        wantedClass(asked: asked).weaker(of: ceiling)
    }
}
