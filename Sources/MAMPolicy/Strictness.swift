// Which of two values of a rule restricts more.

internal import MAMModel

/// Combines the values of two documents. The order in which documents are combined means nothing.
struct Strictness<Value: Sendable>: Sendable {
    let combine: @Sendable (Value, Value) -> Value
}

extension Strictness {
    /// Of values of which nil keeps every other one away.
    func strictest(_ values: [Value?]) -> Value? {
        let known = values.compactMap(\.self)
        guard known.count == values.count, let first = known.first else { return nil }
        return known.dropFirst().reduce(first, combine)
    }
}

extension Strictness where Value == Bool {
    /// True restricts.
    static let truth = Strictness { $0 || $1 }
    /// False restricts.
    static let falsehood = Strictness { $0 && $1 }
}

extension Strictness where Value: Comparable {
    static var smaller: Strictness { Strictness { min($0, $1) } }
    static var larger: Strictness { Strictness { max($0, $1) } }
}

extension Strictness where Value == PolicyDuration {
    /// Zero means never.
    static let sooner = Strictness { one, other in
        guard one.seconds != 0, other.seconds != 0 else { return max(one, other) }
        return min(one, other)
    }
}

extension Strictness where Value: CaseIterable & Equatable {
    /// The later of an enumeration's members, which stand in the order of restriction.
    static var laterMember: Strictness {
        Strictness { one, other in
            Array(Value.allCases).last { $0 == one || $0 == other } ?? one
        }
    }
}

extension Strictness {
    /// What both lists hold.
    static func common<Member: Hashable>() -> Strictness where Value == [Member] {
        Strictness { one, other in one.filter(Set(other).contains) }
    }

    /// What either list holds, sorted.
    static func union<Member: Hashable & Comparable>() -> Strictness where Value == [Member] {
        Strictness { one, other in Set(one).union(other).sorted() }
    }
}

extension Strictness where Value == [NamedValue] {
    /// What both hold whatever they call it.
    static let commonValues = Strictness { one, other in
        let values = Set(one.map(\.value)).intersection(other.map(\.value))
        return (one + other).filter { values.contains($0.value) }
            .oneOfEach(\.value, inOrderOf: \.name)
    }
}

extension Strictness where Value == String {
    /// The higher version. One that cannot be compared cannot be met, and is the highest.
    static let higherVersion = Strictness { rank($0) > rank($1) ? $0 : $1 }

    /// The lower version, with the same exception.
    static let lowerVersion = Strictness { one, other in
        let (own, others) = (rank(one), rank(other))
        guard own.isVersion, others.isVersion else { return own > others ? one : other }
        return own < others ? one : other
    }

    /// Names that both lists with semicolons hold, in any case.
    static let commonNames = Strictness { one, other in
        let (own, others) = (semicolonNames(one), semicolonNames(other))
        let common = Set(own.map { $0.lowercased() }).intersection(others.map { $0.lowercased() })
        return joined(
            semicolonNames(joined(own + others)).filter { common.contains($0.lowercased()) })
    }

    /// Neither restricts more; the choice only has to be the same in any order.
    static let either = Strictness { min($0, $1) }

    /// The scheme of a program that links are led to. What is no scheme lets nothing be opened;
    /// Edge is managed, which nobody knows of the others.
    static let program = Strictness { one, other in
        place(ofProgram: one) < place(ofProgram: other) ? one : other
    }

    private static func place(ofProgram text: String) -> (Int, String) {
        let scheme = Principal.schemeName(text)
        return (scheme == nil ? 0 : scheme == Principal.edge.http ? 1 : 2, text)
    }

    private static func rank(_ text: String) -> Rank {
        Rank(version: VersionNumber(text), text: text)
    }

    /// Equal versions that are written in two ways still have an order.
    private struct Rank: Comparable {
        let version: VersionNumber?
        let text: String

        var isVersion: Bool { version != nil }

        static func < (one: Rank, other: Rank) -> Bool {
            guard let own = one.version, let others = other.version else {
                if one.isVersion != other.isVersion { return one.isVersion }
                return one.text < other.text
            }
            return own == others ? one.text < other.text : own < others
        }
    }
}
