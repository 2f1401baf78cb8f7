// Reading JSON (RFC 8259), in one pass and without a stack of objects: what a client sends costs what its bytes cost.

/// One text in UTF-8. What it accepts is what the RFC says, and two things more that are in people's files: a byte order mark
/// at the start, and a comma after the last member.
struct JSONParser {
    typealias Malformed = JSONValue.Malformed

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// Values that may still come.
    private var left: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumCount: Int) {
        self.bytes = bytes
        left = maximumCount
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// The only value of the text.
    mutating func parse() throws(Malformed) -> JSONValue {
        let found = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .syntax }
        return found
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            position += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// True if something follows the comma.
    private mutating func takeComma(before end: Unicode.Scalar) -> Bool {
        guard take(",") else { return false }
        skipSpace()
        return next != UInt8(ascii: end)
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSONValue {
        guard left > 0 else { throw .tooMany }
        left -= 1
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(
        _ word: StaticString, _ value: JSONValue
    ) throws(Malformed) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let spelling = UnsafeBufferPointer(
            start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[position..<end].elementsEqual(spelling) else {
            throw .syntax
        }
        position = end
        return value
    }

    private mutating func array(depth: Int) throws(Malformed) -> JSONValue {
        guard depth <= JSONValue.maximumDepth else { throw .tooDeep }
        position += 1
        skipSpace()
        if take("]") { return .array([]) }
        var items: [JSONValue] = []
        repeat {
            items.append(try value(depth: depth))
            skipSpace()
        } while takeComma(before: "]")
        guard take("]") else { throw .syntax }
        return .array(items)
    }

    private mutating func object(depth: Int) throws(Malformed) -> JSONValue {
        guard depth <= JSONValue.maximumDepth else { throw .tooDeep }
        position += 1
        skipSpace()
        if take("}") { return .object([:]) }
        var members: [String: JSONValue] = [:]
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw .syntax }
            let key = try text()
            skipSpace()
            guard take(":") else { throw .syntax }
            let member = try value(depth: depth)
            // Of a key that stands twice the first counts.
            if members[key] == nil { members[key] = member }
            skipSpace()
        } while takeComma(before: "}")
        guard take("}") else { throw .syntax }
        return .object(members)
    }

    // MARK: Texts

    private mutating func text() throws(Malformed) -> String {
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20
        {
            position += 1
        }
        if next != UInt8(ascii: "\"") { return try escapedText(after: start) }
        defer { position += 1 }
        return try checked(bytes[start..<position])
    }

    /// The rest of a text that has escapes; `start`: where it began.
    private mutating func escapedText(after start: Int) throws(Malformed) -> String {
        var plain = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try checked(plain)
            case UInt8(ascii: "\\"): try escape(into: &plain)
            case ..<0x20: throw .syntax
            default: plain.append(byte)
            }
        }
        throw .syntax
    }

    private func checked(_ utf8: some Sequence<UInt8>) throws(Malformed) -> String {
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .syntax }
        return text
    }

    private mutating func escape(into plain: inout [UInt8]) throws(Malformed) {
        guard let letter = next else { throw .syntax }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(letter)
        case UInt8(ascii: "b"): plain.append(0x08)
        case UInt8(ascii: "f"): plain.append(0x0C)
        case UInt8(ascii: "n"): plain.append(0x0A)
        case UInt8(ascii: "r"): plain.append(0x0D)
        case UInt8(ascii: "t"): plain.append(0x09)
        case UInt8(ascii: "u"): plain += Array(String(try scalar()).utf8)
        default: throw .syntax
        }
    }

    /// After `\u`. Half a surrogate pair is no character.
    private mutating func scalar() throws(Malformed) -> Character {
        let first = try hexadecimal()
        var code = UInt32(first)
        if UTF16.isLeadSurrogate(first) {
            guard take("\\"), take("u") else { throw .syntax }
            let second = try hexadecimal()
            guard UTF16.isTrailSurrogate(second) else { throw .syntax }
            code = 0x10000 + (code & 0x3FF) << 10 + UInt32(second & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .syntax }
        return Character(scalar)
    }

    private mutating func hexadecimal() throws(Malformed) -> UInt16 {
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw .syntax
            }
            code = code << 4 | UInt16(digit)
            position += 1
        }
        return code
    }

    // MARK: Numbers

    private mutating func number() throws(Malformed) -> JSONValue {
        let start = position
        _ = take("-")
        let first = next
        let count = digits()
        guard count == 1 || count > 1 && first != UInt8(ascii: "0") else { throw .syntax }
        let integerEnd = position
        if take("."), digits() == 0 { throw .syntax }
        let isWhole = bytes[integerEnd..<position].dropFirst().allSatisfy {
            $0 == UInt8(ascii: "0")
        }
        let fractionEnd = position
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            if digits() == 0 { throw .syntax }
        }
        if isWhole, position == fractionEnd, let integer = Int64(text(in: start..<integerEnd)) {
            return .integer(integer)
        }
        guard let number = Double(text(in: start..<position)), number.isFinite else {
            throw .syntax
        }
        // Its fraction may have been too fine to be kept: written, it will read as a whole number.
        return Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private func text(in range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// How many stand here.
    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        return position - start
    }
}
