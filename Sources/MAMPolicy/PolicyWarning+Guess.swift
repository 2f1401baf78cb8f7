// What somebody may have meant by a word that is not known.

internal import MAMModel

extension PolicyWarning {
    /// The end of a message about a member of an enumeration.
    static func guess(_ value: String, of key: String) -> String {
        guess(value, among: RuleField.all.first { $0.key == key }?.members ?? [])
    }

    /// Mistakes are seldom in the first letter, and a document may have very many unknown words.
    static func guess(_ word: String, among names: [String]) -> String {
        let first = word.first?.lowercased()
        return didYouMean(word, in: names.filter { $0.first?.lowercased() == first && $0 != word })
    }

    package static let keysOfPolicies: [String] =
        RuleField.all.map(\.key) + [
            "displayName", "customSettings", "isAssigned", "assignments", "apps", "appGroupType",
        ]
}
