// Shorthand for building and reading JSON values.

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// The last of duplicate keys wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}

extension JSONValue {
    /// A string, or null.
    package init(_ text: String?) { self = text.map { .string($0) } ?? .null }

    /// A whole number.
    package init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map { .integer($0) } ?? .number(Double(value))
    }

    /// A list of strings.
    package init(texts: some Sequence<String>) { self = .array(texts.map { .string($0) }) }

    /// An object whose members are named as the keys describe themselves.
    package init(_ members: [some Hashable & CustomStringConvertible: JSONValue]) {
        self = .object(
            Dictionary(uniqueKeysWithValues: members.map { ($0.key.description, $0.value) }))
    }

    /// The string, if it is one.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The whole number, if it is one.
    package var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    /// The truth value, if it is one.
    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, if it is an array.
    package var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members, if it is an object.
    package var object: [String: JSONValue]? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The bytes, if it is a string of base64.
    package var bytes: [UInt8]? { text.flatMap(MAMModel.bytes(base64:)) }

    /// What `read` finds in the elements, if it is an array and each of them has it.
    package func elements<Value>(_ read: (JSONValue) -> Value?) -> [Value]? {
        guard let array else { return nil }
        let found = array.compactMap(read)
        return found.count == array.count ? found : nil
    }

    /// The same of an object's members.
    package func members<Value>(_ read: (JSONValue) -> Value?) -> [String: Value]? {
        guard let object else { return nil }
        let found = object.compactMapValues(read)
        return found.count == object.count ? found : nil
    }
}
