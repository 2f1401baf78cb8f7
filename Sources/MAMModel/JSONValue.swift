// JSON as a value, so that Foundation's types stay inside this module.

internal import FoundationEssentials

/// Any JSON value. Whole numbers that fit are kept exact.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The deepest nesting that is accepted: a client must not choose how much stack the parser
    /// uses.
    package static let maximumDepth = 32

    /// Why bytes were rejected.
    package enum Malformed: Error, Equatable {
        case syntax
        case tooDeep
        case tooMany
    }

    /// The number of values that a client may send in one text. Foundation's decoder takes
    /// microseconds per value, however small, so a frame of a million empty lists would take many
    /// seconds.
    package static let maximumClientCount = 10_000
    /// The limit for files.
    package static let maximumCount = 100_000

    /// Parses one JSON text in UTF-8, of at most `maximumCount` values.
    package init(
        parsing bytes: [UInt8], maximumCount: Int = Self.maximumCount
    ) throws(Malformed) {
        // Foundation also reads UTF-16 and UTF-32, whose nesting `ParsingCost` does not measure.
        // JSON in those encodings always has zero bytes; JSON in UTF-8 never does.
        guard !bytes.contains(0) else { throw .syntax }
        let cost = ParsingCost(of: bytes)
        guard cost.depth <= Self.maximumDepth else { throw .tooDeep }
        guard cost.count <= maximumCount else { throw .tooMany }
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw .syntax
        }
    }

    /// The value in UTF-8 without zero bytes, keys sorted; on several lines if `pretty`.
    package func encoded(pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // Cannot fail: only infinities have no JSON form, and they are encoded as null.
        guard let data = try? encoder.encode(self) else { return Array("null".utf8) }
        return Array(data)
    }
}

/// What parsing a text would cost: exact for valid texts, an upper bound for others.
private struct ParsingCost {
    /// The deepest nesting of brackets.
    private(set) var depth = 0
    /// The number of values: one, plus one per comma and one per non-empty pair of brackets.
    private(set) var count = 1

    init(of bytes: [UInt8]) {
        var level = 0
        var isInString = false
        var isEscaped = false
        var isFirst = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if isFirst { count += 1 }
                isFirst = true
                level += 1
                depth = max(depth, level)
                continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                isFirst = false
                level -= 1
                continue
            case 0x09, 0x0A, 0x0D, 0x20: continue
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","): count += 1
            default: break
            }
            // The first value between brackets has no comma before it.
            if isFirst { count += 1 }
            isFirst = false
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // An error for each type that it is not takes long; this question has none.
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? container.decode(Double.self) {
            // A fraction too fine for a double may be lost; it would be written as a whole number.
            self = Int64(exactly: number).map { .integer($0) } ?? .number(number)
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let array = try? container.decode([JSONValue].self) {
            self = .array(array)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value) where value.isFinite: try container.encode(value)
        case .number: try container.encodeNil()
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
