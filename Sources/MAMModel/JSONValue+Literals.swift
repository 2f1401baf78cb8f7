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
}
