// Warnings about documents that are used nevertheless.

internal import MAMModel

/// Something in a document that is ignored, or whose interpretation may surprise its author.
package enum PolicyWarning: Hashable, Sendable {
    /// A key that this version does not use; `guess` ends the message.
    case unknownKey(String, guess: String = "")
    /// An unknown value, treated as the most restrictive one that destroys nothing.
    case unknownValue(key: String, value: String, taken: String)
    /// An unknown list member, which permits nothing.
    case unknownMember(key: String, value: String)
    /// A setting of the wrong type or range, replaced by its default.
    case wrongValue(key: String, expected: String)
    /// A negative duration, treated as zero.
    case negativeDuration(key: String, value: String)
    /// A version that cannot be compared, which blocks.
    case notAVersion(key: String, value: String)
    /// `isAssigned` is false.
    case notAssigned
    /// A protection for apps of Android or Windows.
    case otherSystem(String)
    /// An assignment to something other than a group or everybody, treated as everybody.
    case unknownTarget(String)
    /// Apps of other systems in `apps`.
    case appsWithoutBundle(coversNothing: Bool)
    /// A group that the settings do not define, treated as everybody.
    case unknownGroup(String, document: String)
    /// None of the names is this workspace's.
    case otherWorkspaces([String], document: String)
    /// A protection without a rule that decides anything.
    case coversNobody
    /// A time to wipe of less than a day in a signed document, which counts as a day.
    case shortOfflineWipe(String)
    /// A signed document that demands a wipe by these rules, and may only close accounts.
    case closesOnly([String], document: String)
}

extension PolicyWarning: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownKey(let key, let guess): "\(key) is not used by this version\(guess)"
        case .unknownValue(let key, let value, let taken):
            "\(key) has the unknown value \(value), taken as \(taken)"
                + Self.guess(value, of: key)
        case .unknownMember(let key, let value):
            "\(key) has the unknown member \(value), which is ignored"
                + Self.guess(value, of: key)
        case .wrongValue(let key, let expected): "\(key) must be \(expected); using the default"
        case .negativeDuration(let key, let value): "\(key) is negative (\(value)); it counts as 0"
        case .notAVersion(let key, let value):
            "\(key) is not a version such as 17.4.1 (\(value)) and cannot be met"
        case .notAssigned: "isAssigned is false: the document is not in force"
        case .unknownTarget(let type): "\(type) in assignments is unknown; it covers everybody"
        case .appsWithoutBundle(coversNothing: true):
            "no entry of apps has a bundleId: the document covers no workspace"
        case .appsWithoutBundle(coversNothing: false):
            "apps has entries without a bundleId: the other entries define the coverage"
        case .unknownGroup(let group, let document):
            "\(document) covers everybody: the setting Groups does not list the members of \(group)"
        case .otherWorkspaces(let names, let document):
            "\(document) is for \(names.isEmpty ? "no workspace" : fewNames(names)) "
                + "and not in force here"
        case .coversNobody:
            "it restricts nothing: it adds to the policy of accounts that another document covers,"
                + " and covers nobody"
        case .shortOfflineWipe(let text):
            "periodOfflineBeforeWipeIsEnforced is \(text) and counts as a day, the least that is"
                + " obeyed"
        case .closesOnly(let rules, let document):
            "\(document) closes accounts, and does not wipe them"
                + " (\(rules.joined(separator: ", "))): enough order keys must sign it, and the"
                + " memberships of its groups, and neither a default nor one that excludes a group"
                + " wipes"
        case .otherSystem(let type):
            "\(type): only what it has in common with iosManagedAppProtection counts"
        }
    }
}

extension PolicyWarning {
    /// The key that it is about, if any.
    package var key: String? {
        switch self {
        case .unknownKey(let key, _), .unknownValue(let key, _, _), .unknownMember(let key, _),
            .negativeDuration(let key, _), .notAVersion(let key, _), .wrongValue(let key, _):
            key
        case .notAssigned: "isAssigned"
        case .otherSystem: "@odata.type"
        case .unknownTarget, .unknownGroup: "assignments"
        case .appsWithoutBundle, .otherWorkspaces: "apps"
        case .shortOfflineWipe: "periodOfflineBeforeWipeIsEnforced"
        case .coversNobody, .closesOnly: nil
        }
    }
}

extension PolicyWarning {
    /// The end of a message about an enumeration's member.
    static func guess(_ value: String, of key: String) -> String {
        guess(value, among: RuleField.all.first { $0.key == key }?.members ?? [])
    }

    /// Compares only names with the same first letter: mistakes are rare there, and a document may
    /// have many unknown words.
    package static func guess(_ word: String, among names: [String]) -> String {
        let first = word.first?.lowercased()
        return didYouMean(word, in: names.filter { $0.first?.lowercased() == first && $0 != word })
            .english
    }

    package static let keysOfPolicies: [String] =
        RuleField.all.map(\.key) + [
            "displayName", "customSettings", "isAssigned", "assignments", "apps", "appGroupType",
        ]
}
