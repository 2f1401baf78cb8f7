// Binary property lists, which an app's build has in place of XML. Objects refer to each other by
// number, so that a small file can unfold to any size: what is unfolded is counted.

internal import MAMModel

/// Each function returns nil for bytes that are not a property list, or unfold to too much.
struct BinaryPropertyListParser {
    /// What is shared counts each time.
    static let maximumTextByteCount = 1 << 20

    private let bytes: [UInt8]
    private var valuesLeft: Int
    private var textBytesLeft = Self.maximumTextByteCount
    private var objectCount = 0
    private var referenceSize = 0
    private var offsetSize = 0
    private var table = 0
    /// A key that a dictionary has twice.
    private(set) var repeated: String?

    init(_ bytes: [UInt8], maximumCount: Int) {
        (self.bytes, valuesLeft) = (bytes, maximumCount)
    }

    static func accepts(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "bplist0".utf8) }

    /// The last 32 bytes say where all objects are.
    mutating func parse() -> JSONValue? {
        let end = bytes.count - 32
        guard end >= 8, let offsetSize = integer(at: end + 6, count: 1),
            let referenceSize = integer(at: end + 7, count: 1),
            let objectCount = integer(at: end + 8, count: 8),
            let top = integer(at: end + 16, count: 8), let table = integer(at: end + 24, count: 8),
            (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            (8...end).contains(table), objectCount <= (end - table) / offsetSize
        else { return nil }
        (self.offsetSize, self.referenceSize) = (offsetSize, referenceSize)
        (self.objectCount, self.table) = (objectCount, table)
        return object(top, depth: 0)
    }

    private mutating func object(_ number: Int, depth: Int) -> JSONValue? {
        guard valuesLeft > 0, number < objectCount,
            let start = integer(at: table + number * offsetSize, count: offsetSize),
            (8..<table).contains(start)
        else { return nil }
        valuesLeft -= 1
        let (kind, low) = (bytes[start] >> 4, Int(bytes[start] & 15))
        switch (kind, low) {
        case (0, 8): return false
        case (0, 9): return true
        case (1, 0...4): return whole(at: start + 1, count: 1 << low)
        case (2, 2...3):
            return real(at: start + 1, count: 1 << low).flatMap(PropertyListParser.number)
        case (3, 3): return real(at: start + 1, count: 8).flatMap(date)
        case (4, _): return data(at: start, low, size: 1).map { .string(base64(Array($0))) }
        case (5, _):
            return data(at: start, low, size: 1).flatMap { String(validating: $0, as: UTF8.self) }
                .map { .string($0) }
        case (6, _):
            return data(at: start, low, size: 2).flatMap { utf16Text($0, isLittle: false) }
                .map { .string($0) }
        case (10, _) where depth < JSONValue.maximumDepth:
            return array(at: start, low, depth: depth + 1)
        case (13, _) where depth < JSONValue.maximumDepth:
            return dictionary(at: start, low, depth: depth + 1)
        default: return nil
        }
    }

    private mutating func array(at start: Int, _ low: Int, depth: Int) -> JSONValue? {
        guard let (place, count) = extent(at: start, low, size: referenceSize) else { return nil }
        var items: [JSONValue] = []
        for index in 0..<count {
            guard let item = referred(at: place, index, depth) else { return nil }
            items.append(item)
        }
        return .array(items)
    }

    /// All keys, then all values.
    private mutating func dictionary(at start: Int, _ low: Int, depth: Int) -> JSONValue? {
        guard let (place, count) = extent(at: start, low, size: 2 * referenceSize) else {
            return nil
        }
        var members: [String: JSONValue] = [:]
        for index in 0..<count {
            guard let key = referred(at: place, index, depth)?.text,
                let value = referred(at: place, count + index, depth)
            else { return nil }
            if members.updateValue(value, forKey: key) != nil { repeated = repeated ?? key }
        }
        return .object(members)
    }

    private mutating func referred(at place: Int, _ index: Int, _ depth: Int) -> JSONValue? {
        integer(at: place + index * referenceSize, count: referenceSize)
            .flatMap { object($0, depth: depth) }
    }

    /// The bytes of text or data, whose items have this size.
    private mutating func data(at start: Int, _ low: Int, size: Int) -> ArraySlice<UInt8>? {
        guard let (place, count) = extent(at: start, low, size: size),
            count * size <= textBytesLeft
        else { return nil }
        textBytesLeft -= count * size
        return bytes[place..<place + count * size]
    }

    /// Where an object's content begins, and how many items of this size it has; a count above 14
    /// is an integer of its own.
    private func extent(at start: Int, _ low: Int, size: Int) -> (place: Int, count: Int)? {
        var (place, count) = (start + 1, low)
        if low == 15 {
            guard place < table, bytes[place] >> 4 == 1, bytes[place] & 15 <= 3,
                let long = integer(at: place + 1, count: 1 << Int(bytes[place] & 15))
            else { return nil }
            (place, count) = (place + 1 + 1 << Int(bytes[place] & 15), long)
        }
        guard place <= table, count <= (table - place) / size else { return nil }
        return (place, count)
    }

    /// Shorter ones than 8 bytes have no sign.
    private func whole(at place: Int, count: Int) -> JSONValue? {
        guard place + count <= table else { return nil }
        let number = bytes[place..<place + count].reduce(Int128(0)) { $0 << 8 | Int128($1) }
        if count == 8 { return .integer(Int64(truncatingIfNeeded: number)) }
        return Int64(exactly: number).map { .integer($0) }
    }

    private func integer(at place: Int, count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        let number = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: number)
    }

    private func real(at place: Int, count: Int) -> Double? {
        guard place + count <= table else { return nil }
        let bits = bytes[place..<place + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return count == 8
            ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }

    /// Seconds since the year 2001, between 1970 and 9999; without decimals, as in XML.
    private func date(_ seconds: Double) -> JSONValue? {
        let before = 978_307_200.0
        guard (-before..<252_455_616_000).contains(seconds) else { return nil }
        let time = Timestamp(milliseconds: Int64(seconds + before) * 1000)
        return .string("\(time.text.prefix(19))Z")
    }
}
