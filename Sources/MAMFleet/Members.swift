// Reads JSON objects and refuses unknown members, which may be restrictions of a newer version.

package import MAMModel

/// The members of an object that were not taken yet.
package struct Members {
    private var rest: [String: JSONValue]
    private let subject: String
    private let isObject: Bool

    package init(_ json: JSONValue, of subject: String) {
        rest = json.object ?? [:]
        isObject = json.object != nil
        self.subject = subject
    }

    package func has(_ name: String) -> Bool { rest[name] != nil }

    /// `expected` describes the value to people.
    package mutating func take<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Refusal) -> Value {
        guard isObject else { throw .malformed("\(subject) is no JSON object") }
        guard let value = rest.removeValue(forKey: name).flatMap(read) else {
            throw .malformed("\(subject)'s \(name) must be \(expected)")
        }
        return value
    }

    /// Nil if it is missing or null.
    package mutating func takeOptional<Value>(
        _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
    ) throws(Refusal) -> Value? {
        guard let value = rest[name], value != .null else {
            rest[name] = nil
            return nil
        }
        return try take(name, expected, read)
    }

    package func requireEmpty() throws(Refusal) {
        guard let unknown = rest.keys.sorted().first else { return }
        let name = unknown.prefix(40)
        throw .malformed("\(subject) has the unknown member '\(name)': a newer mamd may know it")
    }
}
