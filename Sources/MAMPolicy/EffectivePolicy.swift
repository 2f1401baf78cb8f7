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

    /// The class of a managed owner's files.
    ///
    /// `deviceDefault`: of a document that does not speak of encryption, or says
    /// `useDeviceSettings`; it may be stricter than the class that another document names.
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
