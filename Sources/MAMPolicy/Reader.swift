// Takes known keys from a JSON object and collects the rest.

package import MAMModel

/// An object being decoded. Keys left at the end are unknown.
package struct Reader {
    package private(set) var fields: [String: JSONValue]
    package var warnings: [PolicyWarning] = []
    /// Keys that were taken but are not used.
    private var useless: [String: JSONValue] = [:]
    /// The prefix of this object's keys in messages.
    private let path: String
    /// The names that an unknown key may be a misspelling of.
    private let known: [String]

    package init(
        _ fields: [String: JSONValue], within path: String = "",
        known: [String] = PolicyWarning.keysOfPolicies
    ) {
        self.fields = fields
        self.path = path
        self.known = known
    }

    /// The value of a key; nil if it is missing or null.
    package mutating func take(_ key: String) -> JSONValue? {
        guard let value = fields.removeValue(forKey: key), value != .null else { return nil }
        return value
    }

    package mutating func read<Value>(
        _ key: String, _ shape: Shape<Value>
    ) throws(PolicyError) -> Value? {
        guard let value = take(key) else { return nil }
        return try shape.decode(value, key: path + key, &warnings)
    }

    /// Puts a key back. It does not count as unknown.
    package mutating func leave(_ value: JSONValue, of key: String) { useless[key] = value }

    /// The keys that were not taken, and those put back.
    package var left: [String: JSONValue] { fields.merging(useless) { $1 } }

    /// Warnings for values, then for unknown keys sorted by name. Skips annotations (`@odata.type`,
    /// `apps@odata.context`) and null values.
    package func allWarnings() -> [PolicyWarning] {
        let unknown = fields.filter { !$0.contains("@odata.") && $1 != .null }.keys.sorted()
        // A guess compares every known name; a document may have very many unknown keys.
        let guesses = unknown.prefix(Self.guessCount).map {
            PolicyWarning.guess($0, among: known)
        }
        let named = zip(unknown, guesses).map { PolicyWarning.unknownKey(path + $0, guess: $1) }
        return warnings + named
            + unknown.dropFirst(Self.guessCount).map { .unknownKey(path + $0) }
    }

    private static let guessCount = 100
}
