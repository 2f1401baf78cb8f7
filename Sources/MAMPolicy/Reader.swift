// Takes known keys out of a JSON object and notes the rest.

internal import MAMModel

/// An object that is being read; what no one took in the end is unknown.
struct Reader {
    private var fields: [String: JSONValue]
    private(set) var warnings: [PolicyWarning] = []

    init(_ fields: [String: JSONValue]) { self.fields = fields }

    /// The value of a key; nil if it is missing or null.
    mutating func take(_ key: String) -> JSONValue? {
        guard let value = fields.removeValue(forKey: key), value != .null else { return nil }
        return value
    }

    mutating func text(_ key: String) throws(PolicyError) -> String? {
        guard let value = take(key) else { return nil }
        guard case .string(let text) = value else {
            throw .value(key: key, expected: "a text, not \(value.kind)")
        }
        return text
    }

    mutating func bool(_ key: String) throws(PolicyError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard case .bool(let bool) = value else {
            throw .value(key: key, expected: "true or false, not \(value.kind)")
        }
        return bool
    }

    mutating func integer(_ key: String, in range: ClosedRange<Int64>) throws(PolicyError) -> Int64?
    {
        guard let value = take(key) else { return nil }
        guard case .integer(let integer) = value, range.contains(integer) else {
            throw .value(
                key: key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return integer
    }

    mutating func object(_ key: String) throws(PolicyError) -> Reader? {
        guard let value = take(key) else { return nil }
        guard case .object(let fields) = value else {
            throw .value(key: key, expected: "an object, not \(value.kind)")
        }
        return Reader(fields)
    }

    /// A text of a fixed choice. One that is not in it stands for the most restrictive one: a policy of tomorrow
    /// must not become looser by our not knowing it.
    mutating func choice<Choice: RawRepresentable<String>>(
        _ key: String, unknown mostRestrictive: Choice
    ) throws(PolicyError) -> Choice? {
        guard let text = try text(key) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        warnings.append(
            .unknownValue(key: key, value: text, taken: mostRestrictive.rawValue))
        return mostRestrictive
    }

    /// Warnings for all that was not taken, by key, after those for values. Annotations (`@odata.type`,
    /// `apps@odata.context`) carry no policy.
    func allWarnings(within path: String = "") -> [PolicyWarning] {
        let unknown = fields.keys.filter { !$0.contains("@odata.") }.sorted()
        return warnings + unknown.map { .unknownKey(path + $0) }
    }
}
