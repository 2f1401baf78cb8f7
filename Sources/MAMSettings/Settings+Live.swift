// What of the settings takes effect while the daemon runs.

/// Who may have accounts here, and in which groups they are.
package struct AccountRules: Sendable, Equatable {
    package let allowed: [String]?
    package let users: [String: [Settings.UserReference]]?
    package let groups: [String: [String]]
}

extension Settings {
    package var accountRules: AccountRules {
        AccountRules(allowed: allowedAccounts, users: accountUsers, groups: groups)
    }

    /// The keys whose new values wait for the next start.
    package func keysForNextStart(in new: Settings) -> [String] {
        SettingField.all.filter { field in
            !Self.liveKeys.contains(field.name) && field.show(self) != field.show(new)
        }.map(\.name)
    }

    private static let liveKeys: Set = ["AllowedAccounts", "AccountUsers", "Groups"]
}
