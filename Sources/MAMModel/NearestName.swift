// "Did you mean …?"

/// The name with the fewest typing mistakes; nil if none is close.
package func nearest(to word: String, in names: [String]) -> String? {
    let ranked = names.compactMap { name in
        mistakes(from: word, to: name).map { (name: name, count: $0) }
    }
    return ranked.min { $0.count < $1.count }?.name
}

/// Nil if there are too many for a typing mistake.
private func mistakes(from word: String, to name: String) -> Int? {
    if let address = Address(name) { return address.mistakes(in: word) }
    // Allows one letter in three: beyond that the guess confuses more than it helps.
    let count = word.utf8.count
    return mistakes(
        from: word.utf8, to: name.utf8, atMost: count <= 3 ? count / 2 : max(2, count / 3))
}

private func mistakes(
    from word: some Collection<UInt8>, to name: some Collection<UInt8>, atMost limit: Int
) -> Int? {
    guard abs(word.count - name.count) <= limit else { return nil }
    let distance = editDistance(Array(word), Array(name))
    return distance <= limit ? distance : nil
}

/// An account's name. Colleagues share a domain, so a matching domain is no evidence: each part has
/// to be close by itself.
private struct Address {
    private let local: Substring
    private let domain: Substring

    init?(_ text: String) {
        let text = text.lowercased()[...]
        guard let at = text.lastIndex(of: "@") else { return nil }
        (local, domain) = (text[..<at], text[text.index(after: at)...])
    }

    /// A word without a domain is compared with the local part alone.
    func mistakes(in word: String) -> Int? {
        let other = Self(word)
        let name = other?.local ?? word.lowercased()[...]
        let limit = min(name.utf8.count / 2, max(1, name.utf8.count / 3))
        guard let first = MAMModel.mistakes(from: name.utf8, to: local.utf8, atMost: limit) else {
            return nil
        }
        guard let other else { return first }
        return MAMModel.mistakes(
            from: other.domain.utf8, to: domain.utf8, atMost: max(1, domain.utf8.count / 5)
        ).map { first + $0 }
    }
}

/// The end of an error message; empty without a guess.
package func didYouMean(_ guesses: [String]) -> Message {
    guard !guesses.isEmpty else { return "" }
    let names = guesses.map { Message.verbatim($0) }
    return "; did you mean '\(names.joined(separator: "' or '"))'?"
}

/// ``didYouMean(_:)`` with the nearest name.
package func didYouMean(_ word: String, in names: [String]) -> Message {
    didYouMean(nearest(to: word, in: names).map { [$0] } ?? [])
}

/// The number of insertions, deletions, replacements and transpositions of adjacent letters between
/// the two (optimal string alignment).
private func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var before: [Int] = []
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
        var next = [index + 1]
        for column in other.indices {
            let cost = byte == other[column] ? 0 : 1
            var best = min(row[column] + cost, row[column + 1] + 1, next[column] + 1)
            if index > 0, column > 0, byte == other[column - 1], one[index - 1] == other[column] {
                best = min(best, before[column - 1] + 1)
            }
            next.append(best)
        }
        (before, row) = (row, next)
    }
    return row[other.count]
}
