// What settings add to the organisation's policy.

internal import MAMModel
package import MAMPolicy

extension Settings {
    /// `MAMDebugSettings`, while `DebugSettingsEnabled` is true.
    package func debugDocument() throws(PolicyError) -> PolicyDocument? {
        guard debugSettingsEnabled, !debugPolicy.isEmpty else { return nil }
        return try LegacyPolicy.document(debugPolicy)
    }

    /// The class of an account's files under its policy.
    package func classRule(_ policy: EffectivePolicy) -> ClassRule {
        policy.classRule(deviceDefault: deviceDefaultClass, ceiling: maximumClass)
    }
}
