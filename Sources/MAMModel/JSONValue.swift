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

    /// Arrays and objects within each other, at most: a parser's stack is no place for a client's wishes.
    package static let maximumDepth = 32

    /// Why bytes are not a value.
    package enum Malformed: Error, Equatable {
        case syntax
        case tooDeep
        case tooMany
    }

    /// Parses one JSON text in UTF-8, of so many values at most, those within others among them.
    package init(
        parsing bytes: [UInt8], maximumCount: Int = .max
    ) throws(Malformed) {
        // `withUnsafeBufferPointer` rethrows any error; the result carries a typed one across.
        let result: Result<JSONValue, Malformed> = bytes.withUnsafeBufferPointer { bytes in
            var parser = JSONParser(bytes, maximumCount: maximumCount)
            do throws(Malformed) { return .success(try parser.parse()) } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }

    /// The value in UTF-8, keys sorted, without a zero byte; on several lines when `pretty`.
    package func encoded(pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        // Cannot fail: infinities, the only thing that JSON lacks, are encoded as null.
        guard let data = try? encoder.encode(self) else { return Array("null".utf8) }
        return Array(data)
    }
}

extension JSONValue: Encodable {
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
