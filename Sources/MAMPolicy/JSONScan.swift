// Positions in a JSON text, for error messages. Only JSONValue interprets the text.

internal import MAMModel

/// Scans a text up to its first error.
struct JSONScan {
    struct Position: Hashable, Sendable {
        var line: Int
        /// In bytes, counted from 1.
        var column: Int
    }

    /// A step from an object or an array to an element.
    enum Step: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    /// A key of an object, with the object's number.
    struct Member: Sendable {
        let object: Int
        let key: String
        let place: Position
    }

    private(set) var members: [Member] = []
    /// The start of each object.
    private(set) var starts: [Int: Position] = [:]
    private(set) var error: (place: Position, reason: String)?

    /// Objects and arrays are numbered, because a path stored with each member would repeat all
    /// keys along it.
    private struct Link: Hashable {
        let outer: Int
        let step: Step
    }

    /// The top is 0. A duplicate key leads to the same number.
    private var numbers: [Link: Int] = [:]
    private let bytes: [UInt8]
    private var position = 0
    private var counted = 0
    private var line = 1
    private var lineStart = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if let zero = bytes.firstIndex(of: 0) {
            position = zero
            _ = fail(
                "a zero byte stands here; it must be UTF-8, or UTF-16 with a byte order mark")
            return
        }
        guard value(at: nil, depth: 0) else { return }
        skipSpace()
        if position < bytes.count { _ = fail("there is more after the end") }
    }

    /// The number of the object or array at a path from the top; nil if there is none.
    func number(at way: [Step]) -> Int? {
        way.reduce(0) { outer, step in outer.flatMap { numbers[Link(outer: $0, step: step)] } }
    }

    /// The first position of each object's keys.
    var places: [Int: [String: Position]] {
        members.reduce(into: [:]) { places, member in
            let earlier = places[member.object]?[member.key]
            places[member.object, default: [:]][member.key] = earlier ?? member.place
        }
    }

    /// The second position of each duplicate key.
    var repeated: [Member] {
        var seen: [Int: Set<String>] = [:]
        return members.filter { !seen[$0.object, default: []].insert($0.key).inserted }
    }

    /// Called in ascending order, so that each line is counted once.
    private mutating func place(at position: Int) -> Position {
        for index in counted..<max(counted, min(position, bytes.count))
        where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        counted = max(counted, position)
        return Position(line: line, column: max(0, position - lineStart) + 1)
    }

    private mutating func fail(_ reason: String) -> Bool {
        error = error ?? (place(at: position), reason)
        return false
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func number(of link: Link?) -> Int {
        guard let link else { return 0 }
        let known = numbers[link] ?? numbers.count + 1
        numbers[link] = known
        return known
    }

    private mutating func value(at link: Link?, depth: Int) -> Bool {
        guard depth < JSONValue.maximumDepth else { return fail("it is nested too deeply") }
        skipSpace()
        let start = position
        if take("{") {
            let number = number(of: link)
            starts[number] = starts[number] ?? place(at: start)
            return object(number, depth + 1)
        }
        if take("[") { return array(number(of: link), depth + 1) }
        if next == UInt8(ascii: "\"") { return text() != nil }
        return plain()
    }

    private mutating func object(_ number: Int, _ depth: Int) -> Bool {
        if take("}") { return true }
        var isFirst = true
        repeat {
            skipSpace()
            let start = position
            if next == UInt8(ascii: "}"), !isFirst { return closeAfterComma() }
            isFirst = false
            guard next == UInt8(ascii: "\""), let key = text() else {
                return fail("expected a key in quotation marks")
            }
            members.append(Member(object: number, key: key, place: place(at: start)))
            guard take(":") else { return fail("expected a colon") }
            let link = Link(outer: number, step: .key(key))
            guard value(at: link, depth: depth) else { return false }
        } while take(",")
        return take("}") || fail("expected a comma or }")
    }

    /// Foundation takes a comma before a bracket; what follows counts as well.
    private mutating func closeAfterComma() -> Bool {
        _ = fail("expected no comma before this")
        position += 1
        return true
    }

    private mutating func array(_ number: Int, _ depth: Int) -> Bool {
        if take("]") { return true }
        var index = 0
        repeat {
            skipSpace()
            if next == UInt8(ascii: "]"), index > 0 { return closeAfterComma() }
            let link = Link(outer: number, step: .index(index))
            guard value(at: link, depth: depth) else { return false }
            index += 1
        } while take(",")
        return take("]") || fail("expected a comma or ]")
    }

    private mutating func text() -> String? {
        let start = position
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else {
                _ = fail("a text does not end in its line")
                return nil
            }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next != nil else {
            position = start
            _ = fail("a text does not end")
            return nil
        }
        position += 1
        let inside = bytes[start + 1..<position - 1]
        let plain =
            inside.contains(UInt8(ascii: "\\")) ? nil : String(validating: inside, as: UTF8.self)
        guard
            let text = plain ?? (try? JSONValue(parsing: Array(bytes[start..<position])))?.text
        else {
            position = start
            _ = fail("a text is not valid")
            return nil
        }
        return text
    }

    /// A number, true, false or null.
    private mutating func plain() -> Bool {
        let start = position
        while let byte = next, !",]}: \t\r\n\"{[".utf8.contains(byte) { position += 1 }
        guard start < position, (try? JSONValue(parsing: Array(bytes[start..<position]))) != nil
        else {
            position = start
            return fail("expected a value")
        }
        return true
    }
}

/// The line of a member in a JSON text, by the keys on the way to it; nil if it is not there.
package func line(of way: [String], in text: [UInt8]) -> Int? {
    guard let key = way.last else { return nil }
    let scan = JSONScan(text)
    let number = scan.number(at: way.dropLast().map(JSONScan.Step.key))
    return number.flatMap { scan.places[$0]?[key]?.line }
}
