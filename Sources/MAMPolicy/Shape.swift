// The JSON form of one kind of value. Settings and policy rules are tables of these.

package import MAMModel

/// Decodes, formats and encodes values of one kind.
package struct Shape<Value: Sendable>: Sendable {
    /// The description in messages about invalid values.
    package let expected: String
    /// Nil for an invalid value. The key is for warnings about accepted values.
    package let read: @Sendable (JSONValue, _ key: String, inout [PolicyWarning]) -> Value?
    package let write: @Sendable (Value) -> JSONValue
    /// The words of an enumeration.
    package var members: [String] = []

    /// For a kind that decodes without warnings.
    package init(
        _ expected: String, read: @escaping @Sendable (JSONValue) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.init(expected, reading: { value, _, _ in read(value) }, write: write)
    }

    package init(
        _ expected: String,
        reading: @escaping @Sendable (JSONValue, String, inout [PolicyWarning]) -> Value?,
        write: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.expected = expected
        self.read = reading
        self.write = write
    }

    package func decode(
        _ value: JSONValue, key: String, _ warnings: inout [PolicyWarning]
    ) throws(PolicyError) -> Value {
        guard let found = read(value, key, &warnings) else {
            throw .value(key: key, expected: "\(expected), not \(value.glance)")
        }
        return found
    }

    /// The same kind, with nil for a value that is not configured.
    package var optional: Shape<Value?> {
        let (read, write) = (read, write)
        var shape = Shape<Value?>(
            expected,
            reading: { value, key, warnings in read(value, key, &warnings).map(Optional.some) },
            write: { value in value.map(write) ?? .null })
        shape.members = members
        return shape
    }
}

extension Shape where Value == Bool {
    package static let truth = Shape("true or false", read: { $0.bool }, write: { .bool($0) })
}

extension Shape where Value == String {
    package static let text = Shape("a text", read: { $0.text }, write: { .string($0) })

    /// `#RRGGBB`; the `#` may be missing.
    package static let colour = Shape(
        "a colour such as #RRGGBB",
        read: { value in
            guard let text = value.text else { return nil }
            let digits =
                text.utf8.first == UInt8(ascii: "#") ? text.utf8.dropFirst() : text.utf8[...]
            let isColour = digits.count == 6 && digits.allSatisfy { hexDigits.contains($0) }
            return isColour ? text : nil
        }, write: { .string($0) })
}

extension Shape where Value: BinaryInteger {
    package static func whole(_ range: ClosedRange<Value>) -> Shape {
        Shape(
            "a whole number from \(range.lowerBound) to \(range.upperBound)",
            read: { value in
                value.integer.flatMap(Value.init(exactly:)).flatMap {
                    range.contains($0) ? $0 : nil
                }
            }, write: { JSONValue($0) })
    }
}

extension Shape where Value == Double {
    package static func number(_ range: ClosedRange<Double>) -> Shape {
        Shape(
            "a number from \(range.lowerBound) to \(range.upperBound)",
            read: { value in
                let found: Double? =
                    switch value {
                    case .integer(let integer): Double(integer)
                    case .number(let number): number
                    default: nil
                    }
                return found.flatMap { range.contains($0) ? $0 : nil }
            },
            write: { number in Int64(exactly: number).map { .integer($0) } ?? .number(number) })
    }
}

extension Shape where Value == [String] {
    package static let texts = Shape("a list of texts", read: plainTexts(in:), write: list)

    package static let absolutePaths = Shape(
        "a list of absolute paths",
        read: { value in
            plainTexts(in: value).flatMap { $0.allSatisfy { $0.utf8.first == slash } ? $0 : nil }
        }, write: list)

    /// A program and its arguments, without zero bytes.
    package static let command = Shape(
        "a command: a list of texts, the first of which is an absolute path",
        read: { value in
            guard let words = plainTexts(in: value), words.first?.utf8.first == slash,
                !words.contains(where: { $0.utf8.contains(0) })
            else { return nil }
            return words
        }, write: list)

    private static let slash = UInt8(ascii: "/")

    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension Shape where Value == [String: [String]] {
    package static let members = Shape(
        "an object of lists of texts",
        read: { value in
            guard let object = value.object else { return nil }
            var members: [String: [String]] = [:]
            for (name, list) in object {
                guard let texts = plainTexts(in: list) else { return nil }
                members[name] = texts
            }
            return members
        },
        write: { .object($0.mapValues { .array($0.map { .string($0) }) }) })
}

extension Shape where Value == [String: JSONValue] {
    package static let object = Shape("an object", read: { $0.object }, write: { .object($0) })
}

extension Shape where Value == [[String: JSONValue]] {
    package static let objects = Shape(
        "a list of objects",
        read: { value in
            guard let items = value.array else { return nil }
            let objects = items.compactMap(\.object)
            return objects.count == items.count ? objects : nil
        }, write: { .array($0.map { .object($0) }) })
}

extension Shape where Value: CaseIterable & Sendable {
    /// One of a few strings; any other is an error.
    package static func one(named name: @escaping @Sendable (Value) -> String) -> Shape {
        Shape(
            "one of \(Value.allCases.map(name).joined(separator: ", "))",
            read: { value in Value.allCases.first { name($0) == value.text } },
            write: { .string(name($0)) })
    }
}

private let hexDigits = Array("0123456789abcdefABCDEF".utf8)

/// The elements of a list that contains only strings.
private func plainTexts(in value: JSONValue) -> [String]? {
    guard let items = value.array else { return nil }
    let texts = items.compactMap(\.text)
    return texts.count == items.count ? texts : nil
}

// Descriptions of JSON values in messages.
extension JSONValue {
    /// The type of value, in words.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .integer, .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The value itself if short, else its type.
    var glance: String {
        switch self {
        case .bool(let bool): "\(bool)"
        case .integer(let integer): "\(integer)"
        case .number(let number): "\(number)"
        case .string(let text) where text.utf8.count <= 40: "\"\(text)\""
        default: kind
        }
    }
}
