// Reads plain JSON without Foundation's decoder, which tries one type after the other.

/// Texts without escapes, fractions and duplicate keys, which is nearly all that there is: in a
/// ninth of the decoder's time (6 µs and not 58 for a machine's status of 862 bytes). Everything
/// else, errors included, is left to the decoder, so that there is one judge of what is JSON.
/// Expects that the depth was checked.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Nil if the decoder must read it.
    static func value(of bytes: [UInt8]) -> JSONValue? {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value() else { return nil }
        reader.skipSpace()
        return reader.position == bytes.count ? value : nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func value() -> JSONValue? {
        skipSpace()
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return literal("true", .bool(true))
        case UInt8(ascii: "f"): return literal("false", .bool(false))
        case UInt8(ascii: "n"): return literal("null", .null)
        default: return number()
        }
    }

    private mutating func object() -> JSONValue? {
        position += 1
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard let name = string(), take(UInt8(ascii: ":")), let value = value(),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func array() -> JSONValue? {
        position += 1
        var elements: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            guard let value = value() else { return nil }
            elements.append(value)
            if take(UInt8(ascii: "]")) { return .array(elements) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func string() -> String? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        guard end < bytes.count else { return nil }
        position = end + 1
        return String(validating: bytes[start..<end], as: UTF8.self)
    }

    /// Whole, and of at most 18 digits, which always fit.
    private mutating func number() -> JSONValue? {
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var number: Int64 = 0
        while position < bytes.count, position - start <= 18,
            case let digit = bytes[position] &- UInt8(ascii: "0"), digit <= 9
        {
            guard position - start < 18 else { return nil }
            number = number * 10 + Int64(digit)
            position += 1
        }
        let isCanonical =
            position > start && (bytes[start] != UInt8(ascii: "0") || position == start + 1)
            && !(isNegative && number == 0)
        guard isCanonical else { return nil }
        if position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
            default: break
            }
        }
        return .integer(isNegative ? -number : number)
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count else { return nil }
        for at in position..<end where bytes[at] != word.utf8Start[at - position] { return nil }
        position = end
        return value
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// After spaces.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}
