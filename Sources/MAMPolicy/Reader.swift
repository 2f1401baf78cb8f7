// Takes known keys out of a JSON object and notes the rest.

internal import MAMModel

/// An object that is being read; what no one took in the end is unknown.
struct Reader {
    private(set) var fields: [String: JSONValue]
    var warnings: [PolicyWarning] = []
    /// What was taken and is of no use.
    private var useless: [String: JSONValue] = [:]
    /// What stands before this object's keys in messages.
    private let path: String

    init(_ fields: [String: JSONValue], within path: String = "") {
        self.fields = fields
        self.path = path
    }

    /// The value of a key; nil if it is missing or null.
    mutating func take(_ key: String) -> JSONValue? {
        guard let value = fields.removeValue(forKey: key), value != .null else { return nil }
        return value
    }

    mutating func read<Value>(
        _ key: String, _ shape: Shape<Value>
    ) throws(PolicyError) -> Value? {
        guard let value = take(key) else { return nil }
        return try shape.decode(value, key: path + key, &warnings)
    }

    /// Puts back what was taken, without a warning that nobody knows it.
    mutating func leave(_ value: JSONValue, of key: String) { useless[key] = value }

    /// What nobody took, and what was put back.
    var left: [String: JSONValue] { fields.merging(useless) { $1 } }

    /// Warnings for all that was not taken, by key, after those for values. Annotations
    /// (`@odata.type`, `apps@odata.context`) carry no policy, and null says nothing.
    func allWarnings() -> [PolicyWarning] {
        let unknown = fields.filter { !$0.contains("@odata.") && $1 != .null }
        return warnings + unknown.keys.sorted().map { .unknownKey(path + $0) }
    }
}
