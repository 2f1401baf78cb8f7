// What all documents ask together.

package import MAMModel

/// The most restrictive answer of several documents. A rule is nil where none of them says anything.
package struct EffectivePolicy: Sendable, Equatable {
    package let rules: PolicyRules

    /// What holds for identities that no policy speaks of: nothing is restricted.
    package static let unrestricted = EffectivePolicy(rules: PolicyRules())

    /// Merges; the order does not matter.
    package static func merge(_ documents: [PolicyDocument]) -> EffectivePolicy {
        var rules = PolicyRules()
        let all = documents.map(\.rules)
        rules.appDataEncryptionType = strictest(all.map(\.appDataEncryptionType))
        rules.allowedOutboundDataTransferDestinations = strictest(
            all.map(\.allowedOutboundDataTransferDestinations))
        rules.allowedInboundDataTransferSources = strictest(
            all.map(\.allowedInboundDataTransferSources))
        return EffectivePolicy(rules: rules)
    }

    /// The class that policy asks for a managed owner's files.
    ///
    /// A policy that does not speak of encryption leaves it to the device, like `useDeviceSettings`.
    package func protectionClass(settings: Settings) -> ProtectionClass {
        (rules.appDataEncryptionType ?? .useDeviceSettings).protectionClass(
            deviceDefault: settings.deviceDefaultClass)
    }

    /// The class that a file gets: the stricter of policy's and the one that was asked for it, lowered by the
    /// ceiling.
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

    /// Where data for the account may come from.
    package var inbound: DataTransfers { rules.allowedInboundDataTransferSources ?? .allApps }

    /// The members of a choice stand in the order of restriction.
    private static func strictest<Choice: CaseIterable & Equatable>(
        _ values: [Choice?]
    ) -> Choice? {
        Array(Choice.allCases).last { values.contains($0) }
    }
}
