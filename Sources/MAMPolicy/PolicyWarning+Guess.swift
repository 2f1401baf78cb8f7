// Guesses what an unknown word was meant to be.

internal import MAMModel

extension PolicyWarning {
    /// The end of a message about an enumeration's member.
    static func guess(_ value: String, of key: String) -> String {
        guess(value, among: RuleField.all.first { $0.key == key }?.members ?? [])
    }

    /// Compares only names with the same first letter: mistakes are rare there, and a document may
    /// have many unknown words.
    static func guess(_ word: String, among names: [String]) -> String {
        let first = word.first?.lowercased()
        return didYouMean(word, in: names.filter { $0.first?.lowercased() == first && $0 != word })
            .english
    }

    package static let keysOfPolicies: [String] =
        RuleField.all.map(\.key) + [
            "displayName", "customSettings", "isAssigned", "assignments", "apps", "appGroupType",
        ]
}
