// Fuzzed bytes as a series of decisions, so that a small change of the input is a small change of
// what is done.

/// Takes from the front; zeros when nothing is left, so that every input means something.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func word() -> UInt16 { UInt16(byte()) | UInt16(byte()) << 8 }

    mutating func wide() -> Int64 {
        (0..<8).reduce(0) { value, index in value | Int64(byte()) << (8 * index) }
    }

    /// Below `limit`, which is at most 65,536.
    mutating func number(below limit: Int) -> Int {
        Int(limit > 256 ? word() : UInt16(byte())) % limit
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    mutating func all() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
