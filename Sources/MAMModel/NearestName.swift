// "Did you mean …?"

/// The name that takes the fewest typing mistakes to reach; nil when all are far.
package func nearest(to word: String, in names: [String]) -> String? {
    // A third of the word may be wrong: more, and the guess is more odd than helpful.
    let letters = Array(word.utf8)
    let limit = letters.count <= 3 ? letters.count / 2 : max(2, letters.count / 3)
    let ranked = names.filter { abs($0.utf8.count - letters.count) <= limit }
        .map { (name: $0, distance: editDistance(letters, Array($0.utf8))) }
    return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
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
