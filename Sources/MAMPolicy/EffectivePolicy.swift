// What all documents ask together.

package import MAMModel

/// The most restrictive answer of several documents. A rule is nil where none of them says
/// anything.
package struct EffectivePolicy: Sendable {
    package let rules: PolicyRules
    /// The documents, for telling where a rule is from.
    package let sources: [PolicyDocument]

    /// What holds for identities that no policy speaks of: nothing is restricted.
    package static let unrestricted = EffectivePolicy(rules: PolicyRules(), sources: [])

    /// Merges the protections that are in force; the order does not matter.
    package static func merge(_ documents: [PolicyDocument]) -> EffectivePolicy {
        let sources = documents.filter(\.isProtectionInForce)
        return EffectivePolicy(rules: strictest(sources.map(\.rules)), sources: sources)
    }

    /// What holds while accounts are one that were two: of every rule the most restrictive value.
    package static func lockDown(of policies: [EffectivePolicy]) -> EffectivePolicy {
        EffectivePolicy(
            rules: strictest(policies.map(\.rules)), sources: policies.flatMap(\.sources))
    }

    private static func strictest(_ all: [PolicyRules]) -> PolicyRules {
        var merged = PolicyRules()
        for field in RuleField.all { field.merge(all, &merged) }
        return merged
    }

    /// The class that policy asks for a managed owner's files.
    ///
    /// A document that does not speak of encryption leaves it to the device, like
    /// `useDeviceSettings`, whose class may be stricter than the one that another document names.
    package func protectionClass(settings: Settings) -> ProtectionClass {
        sources.map(\.rules).reduce(protectionClass(of: rules, settings)) {
            $0.stricter(of: protectionClass(of: $1, settings))
        }
    }

    private func protectionClass(of rules: PolicyRules, _ settings: Settings) -> ProtectionClass {
        (rules.appDataEncryptionType ?? .useDeviceSettings).protectionClass(
            deviceDefault: settings.deviceDefaultClass)
    }

    /// The class that a file gets: the stricter of policy's and the one that was asked for it,
    /// lowered by the ceiling.
    package func effectiveClass(
        asked: ProtectionClass?, settings: Settings
    ) -> ProtectionClass {
        let policyClass = protectionClass(settings: settings)
        let wanted = asked.map(policyClass.stricter) ?? policyClass
        return wanted.weaker(of: settings.maximumClass)
    }

    /// Where data of the account may go.
    package var outbound: DataTransfers {
        rules.allowedOutboundDataTransferDestinations ?? .allApps
    }

    /// What an account under this policy has may come to anybody.
    package var sendsToAll: Bool { outbound == .allApps }

    /// Whether a process may open a file of an account: a transfer, for root too. The mount and the
    /// socket enforce this at every open, so it takes no policy, which would be copied.
    ///
    /// `asOwner`: whether the process works for the account. `sendsToAll`: its policy's.
    package static func letsRead(asOwner: Bool, sendsToAll: Bool) -> Bool { asOwner || sendsToAll }

    /// Where data for the account may come from.
    package var inbound: DataTransfers { rules.allowedInboundDataTransferSources ?? .allApps }
}

/// Policies are equal if they ask the same, whoever asks it.
extension EffectivePolicy: Equatable {
    package static func == (one: Self, other: Self) -> Bool { one.rules == other.rules }
}
