// Determines which of two values restricts more.

internal import MAMModel

/// Combines the values of two documents, regardless of their order.
struct Strictness<Value: Sendable>: Sendable {
    let combine: @Sendable (Value, Value) -> Value
}

extension Strictness {
    /// The strictest value, where nil is stricter than any other.
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
    /// The later member of an enumeration ordered by restriction.
    static var laterMember: Strictness {
        Strictness { one, other in one.place < other.place ? other : one }
    }
}

extension Strictness {
    /// The intersection.
    static func common<Member: Hashable>() -> Strictness where Value == [Member] {
        Strictness { one, other in one.filter(Set(other).contains) }
    }

    /// The union, sorted.
    static func union<Member: Hashable & Comparable>() -> Strictness where Value == [Member] {
        Strictness { one, other in Set(one).union(other).sorted() }
    }
}

extension Strictness where Value == [NamedValue] {
    /// The values that both contain, whatever their names.
    static let commonValues = Strictness { one, other in
        let values = Set(one.map(\.value)).intersection(other.map(\.value))
        return (one + other).filter { values.contains($0.value) }
            .oneOfEach(\.value, inOrderOf: \.name)
    }
}

extension Strictness where Value == String {
    /// The higher version. A version that cannot be compared cannot be satisfied, so it counts as
    /// the highest.
    static let higherVersion = Strictness { rank($0) > rank($1) ? $0 : $1 }

    /// The lower version, with the same exception.
    static let lowerVersion = Strictness { one, other in
        let (own, others) = (rank(one), rank(other))
        guard own.isVersion, others.isVersion else { return own > others ? one : other }
        return own < others ? one : other
    }

    /// Names in both semicolon lists, ignoring case.
    static let commonNames = Strictness { one, other in
        let (own, others) = (semicolonNames(one), semicolonNames(other))
        let common = Set(own.map { $0.lowercased() }).intersection(others.map { $0.lowercased() })
        return joined(
            semicolonNames(joined(own + others)).filter { common.contains($0.lowercased()) })
    }

    /// Neither restricts more; the choice only has to be independent of order.
    static let either = Strictness { min($0, $1) }

    /// The scheme of the program that links are redirected to. An invalid scheme permits nothing;
    /// Edge is known to be managed, others are not.
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

    /// Orders versions that are equal but written differently.
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
