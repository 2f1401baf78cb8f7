// "Did you mean …?"

/// The name that takes the fewest typing mistakes to reach; nil when all are far.
package func nearest(to word: String, in names: [String]) -> String? {
    let ranked = names.compactMap { name in
        mistakes(from: word, to: name).map { (name: name, count: $0) }
    }
    return ranked.min { $0.count < $1.count }?.name
}

/// Nil for more than anybody makes.
private func mistakes(from word: String, to name: String) -> Int? {
    if let address = Address(name) { return address.mistakes(in: word) }
    // A third of the word may be wrong: more, and the guess is more odd than helpful.
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

/// The name of an account. Colleagues have one domain, so that what they have in common is no sign
/// of a slip: each part has to be nearly right by itself.
private struct Address {
    private let local: Substring
    private let domain: Substring

    init?(_ text: String) {
        let text = text.lowercased()[...]
        guard let at = text.lastIndex(of: "@") else { return nil }
        (local, domain) = (text[..<at], text[text.index(after: at)...])
    }

    /// A word without a domain is meant for what stands before it.
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

/// The end of a message: nothing when there is no guess.
package func didYouMean(_ guesses: [String]) -> String {
    guard !guesses.isEmpty else { return "" }
    return "; did you mean \(guesses.map { "'\($0)'" }.joined(separator: " or "))?"
}

/// `didYouMean` of the nearest name.
package func didYouMean(_ word: String, in names: [String]) -> String {
    didYouMean(nearest(to: word, in: names).map { [$0] } ?? [])
}

/// Insertions, deletions, replacements, and exchanges of two letters side by side, that turn one
/// into the other (optimal string alignment).
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
