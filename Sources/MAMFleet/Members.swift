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

    package init(parsing bytes: [UInt8], of subject: String) throws(Refusal) {
        self.init(try JSONValue(bytes, orElse: "\(subject) is no JSON"), of: subject)
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

    package mutating func text(_ name: String) throws(Refusal) -> String {
        try take(name, "a text", \.text)
    }

    package mutating func id(_ name: String) throws(Refusal) -> Bytes16 {
        try take(name, "32 hexadecimal digits", hexID)
    }

    package mutating func time(_ name: String) throws(Refusal) -> Int64 {
        try take(name, "a time in UTC", timestamp)
    }

    package mutating func number(_ name: String, from lowest: Int64) throws(Refusal) -> Int64 {
        try take(name, "a number from \(lowest)") { json in
            json.integer.flatMap { $0 >= lowest ? $0 : nil }
        }
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

extension JSONValue {
    /// Refuses what is no JSON for the reason, and so what has more than `maximumCount` values.
    package init(
        _ bytes: [UInt8], atMost maximumCount: Int = Self.maximumCount, orElse reason: String
    ) throws(Refusal) {
        do throws(Malformed) {
            try self.init(parsing: bytes, maximumCount: maximumCount)
        } catch { throw .malformed(reason) }
    }
}

package func hexID(_ json: JSONValue) -> Bytes16? { json.text.flatMap(Bytes16.init(hex:)) }

/// Seconds since 1970; nil for anything that ``rfc3339(_:)`` would not write.
func timestamp(_ json: JSONValue) -> Int64? {
    guard let text = json.text, let time = Timestamp(text) else { return nil }
    let seconds = time.milliseconds / 1000
    return rfc3339(seconds) == text ? seconds : nil
}
