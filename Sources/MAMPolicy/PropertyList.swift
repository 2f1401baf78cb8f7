// XML property lists, which apps use for settings. An own parser: small, bounded, and without
// traps.

package import MAMModel

extension JSONValue {
    /// Parses JSON or a property list, binary or in XML, of at most `maximumCount` values. Which of
    /// two values of a key counts differs between programs: it is refused.
    package init(
        document bytes: [UInt8], maximumCount: Int = JSONValue.maximumCount
    ) throws(PolicyError) {
        let text = documentText(bytes)
        try self.init(text: text, maximumCount: maximumCount)
        guard !isPropertyList(text) else { return }
        if let member = JSONScan(text).repeated.first {
            throw .twice(key: member.key, line: member.place.line)
        }
    }

    /// Takes a key that stands twice in JSON: for who reports its places.
    init(text bytes: [UInt8], maximumCount: Int) throws(PolicyError) {
        if PropertyListParser.accepts(bytes) {
            var parser = PropertyListParser(bytes)
            let value = parser.parse()
            self = try Self.unambiguous(value, parser.repeated, or: .notAPropertyList)
        } else if BinaryPropertyListParser.accepts(bytes) {
            var parser = BinaryPropertyListParser(bytes, maximumCount: maximumCount)
            let value = parser.parse()
            self = try Self.unambiguous(value, parser.repeated, or: .notABinaryPropertyList)
        } else {
            do throws(Malformed) {
                self = try JSONValue(parsing: bytes, maximumCount: maximumCount)
            } catch {
                throw error == .tooMany ? .tooManyValues(maximumCount) : .notJSON
            }
        }
    }
}

extension JSONValue {
    /// What a parser found, unless a key of it stands twice in one dictionary.
    private static func unambiguous(
        _ value: JSONValue?, _ repeated: String?, or flaw: PolicyError
    ) throws(PolicyError) -> JSONValue {
        if let repeated { throw .twice(key: repeated, line: nil) }
        guard let value else { throw flaw }
        return value
    }
}

/// Of either form, by how it begins.
func isPropertyList(_ bytes: [UInt8]) -> Bool {
    PropertyListParser.accepts(bytes) || BinaryPropertyListParser.accepts(bytes)
}

/// Each function returns nil for text that is not a property list.
struct PropertyListParser {
    private let bytes: [UInt8]
    private var position = 0
    /// A key that a dictionary has twice.
    private(set) var repeated: String?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The first byte other than white space distinguishes it from JSON.
    static func accepts(_ bytes: [UInt8]) -> Bool {
        bytes.first { !isSpace($0) } == UInt8(ascii: "<")
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    mutating func parse() -> JSONValue? {
        guard let root = tag(), root == "plist", let value = element(tag(), depth: 0),
            tag() == "/plist", tag() == nil, position == bytes.count
        else { return nil }
        return value
    }

    /// A value whose opening tag was already read.
    private mutating func element(_ name: String?, depth: Int) -> JSONValue? {
        guard let name, depth < JSONValue.maximumDepth else { return nil }
        switch name {
        case "true/": return true
        case "false/": return false
        case "string/": return ""
        case "dict/": return [:]
        case "array/": return []
        case "dict": return dictionary(depth: depth + 1)
        case "array": return array(depth: depth + 1)
        case "string", "date", "data": return text(until: name).map { .string($0) }
        case "integer": return text(until: name).flatMap(Int64.init).map { .integer($0) }
        case "real": return text(until: name).flatMap(Double.init).flatMap(Self.number)
        case "true", "false": return tag() == "/\(name)" ? .bool(name == "true") : nil
        default: return nil
        }
    }

    /// As in JSON: finite, and an integer if possible.
    static func number(_ number: Double) -> JSONValue? {
        guard number.isFinite else { return nil }
        return Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }

    private mutating func dictionary(depth: Int) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        while let name = tag() {
            if name == "/dict" { return .object(members) }
            guard name == "key", let key = text(until: name),
                let value = element(tag(), depth: depth)
            else { return nil }
            if members.updateValue(value, forKey: key) != nil { repeated = repeated ?? key }
        }
        return nil
    }

    private mutating func array(depth: Int) -> JSONValue? {
        var items: [JSONValue] = []
        while let name = tag() {
            if name == "/array" { return .array(items) }
            guard let item = element(name, depth: depth) else { return nil }
            items.append(item)
        }
        return nil
    }

    /// The next tag's name including its slash; skips white space, comments and declarations. Nil
    /// for anything else.
    private mutating func tag() -> String? {
        while true {
            while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
            if starts("<!--") {
                guard skip(past: "-->") else { return nil }
            } else if starts("<?") || starts("<!DOCTYPE") {
                guard skip(past: ">") else { return nil }
            } else {
                break
            }
        }
        guard starts("<") else { return nil }
        let start = position + 1
        guard skip(past: ">") else { return nil }
        let inside = bytes[start..<position - 1]
        let name = inside.prefix { !Self.isSpace($0) }
        let isEmpty = inside.last == UInt8(ascii: "/") && name.last != UInt8(ascii: "/")
        return String(validating: name, as: UTF8.self).map { isEmpty ? $0 + "/" : $0 }
    }

    /// The text up to the closing tag, which it consumes.
    private mutating func text(until name: String) -> String? {
        var text: [UInt8] = []
        while position < bytes.count {
            if starts("<![CDATA[") {
                let start = position + 9
                guard skip(past: "]]>") else { return nil }
                text += bytes[start..<max(start, position - 3)]
            } else if starts("<") {
                guard tag() == "/\(name)" else { return nil }
                return String(validating: text, as: UTF8.self)
            } else if starts("&") {
                let start = position + 1
                guard skip(past: ";"), let character = entity(bytes[start..<position - 1]) else {
                    return nil
                }
                text += character.utf8
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return nil
    }

    private func entity(_ name: ArraySlice<UInt8>) -> String? {
        let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        guard let name = String(validating: name, as: UTF8.self) else { return nil }
        if let character = known[name] { return character }
        let code =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        return code.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
    }

    private func starts(_ prefix: String) -> Bool {
        bytes[position...].starts(with: prefix.utf8)
    }

    private mutating func skip(past end: String) -> Bool {
        while position < bytes.count {
            if starts(end) {
                position += end.utf8.count
                return true
            }
            position += 1
        }
        return false
    }
}
