// MAMPolicy: what an organisation's documents ask, and a workspace's settings. Pure: no files, no clock.
//
//   PolicyDocument (+Decode), PolicyRules, PolicyChoices   Microsoft Graph app protection policies
//   EffectivePolicy, PolicyBook                            what all documents ask of one account together
//   Settings (+Decode)                                     settings.json
//   Reader                                                 a JSON object, tolerant of what is unknown

/// One app protection policy, as Microsoft Graph exports it.
package struct PolicyDocument: Sendable, Equatable {
    package var id: String?
    package var displayName: String?
    package var version: String?
    /// True for the tenant's default policy (`defaultManagedAppProtection`), which any other one beats outright.
    package var isDefault = false
    package var rules = PolicyRules()
    /// What was read past.
    package var warnings: [PolicyWarning] = []

    package init() {}
}
