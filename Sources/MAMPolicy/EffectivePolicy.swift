// What all documents ask together.

package import MAMModel

/// The most restrictive answer of several documents. Nil where none of them says anything.
package struct EffectivePolicy: Sendable, Equatable {
    package let dataEncryption: DataEncryption?
    package let outboundTransfers: DataTransfers?
    package let inboundTransfers: DataTransfers?

    /// Merges; the order does not matter.
    package static func merge(_ documents: [PolicyDocument]) -> EffectivePolicy {
        EffectivePolicy(
            dataEncryption: strictest(documents.map(\.dataEncryption)),
            outboundTransfers: strictest(documents.map(\.outboundTransfers)),
            inboundTransfers: strictest(documents.map(\.inboundTransfers)))
    }

    /// The class that policy asks for a managed owner's files.
    ///
    /// A policy that does not speak of encryption leaves it to the device, like `useDeviceSettings`.
    package func protectionClass(settings: Settings) -> ProtectionClass {
        (dataEncryption ?? .useDeviceSettings).protectionClass(
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

    /// The members of a choice stand in the order of restriction.
    private static func strictest<Choice: CaseIterable & Equatable>(
        _ values: [Choice?]
    ) -> Choice? {
        Array(Choice.allCases).last { values.contains($0) }
    }
}
