// "Did you mean …?"

/// The name that takes the fewest typing mistakes to reach; nil when all are far.
func nearest(to word: String, in names: [String]) -> String? {
    // A third of the word may be wrong: more, and the guess is more odd than helpful.
    // Two letters exchanged count as two mistakes.
    let limit = max(2, word.utf8.count / 3)
    let ranked = names.map { (name: $0, distance: editDistance(Array(word.utf8), Array($0.utf8))) }
    return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
}

/// Insertions, deletions and replacements that turn one into the other (Levenshtein).
private func editDistance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let cost = diagonal + (byte == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(cost, diagonal + 1, row[column] + 1)
        }
    }
    return row[other.count]
}
