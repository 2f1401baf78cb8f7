// Takes known keys out of a JSON object and notes the rest.

internal import MAMModel

/// An object that is being read; what no one took in the end is unknown.
struct Reader {
    private(set) var fields: [String: JSONValue]
    private(set) var warnings: [PolicyWarning] = []
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

    mutating func warn(_ warning: PolicyWarning) { warnings.append(warning) }

    /// Reads the objects of a list, or the one that stands in place of a list. Nil if the key is missing.
    mutating func readers(_ key: String) throws(PolicyError) -> [Reader]? {
        guard let value = take(key) else { return nil }
        let items = value.array ?? [value]
        var readers: [Reader] = []
        for item in items {
            let fields = try Shape<[String: JSONValue]>.object.decode(
                item, key: path + key, &warnings)
            readers.append(Reader(fields, within: "\(path)\(key)."))
        }
        return readers
    }

    /// Warnings for all that was not taken, by key, after those for values. Annotations (`@odata.type`,
    /// `apps@odata.context`) carry no policy.
    func allWarnings() -> [PolicyWarning] {
        let unknown = fields.keys.filter { !$0.contains("@odata.") }.sorted()
        return warnings + unknown.map { .unknownKey(path + $0) }
    }
}
