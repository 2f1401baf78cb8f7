// "Did you mean …?", and commands that are proposed.

internal import MAMSystem

/// The name that takes the fewest typing mistakes to reach; nil when all are far.
func nearest(to word: String, in names: [String]) -> String? {
    // A third of the word may be wrong: more, and the guess is more odd than helpful.
    let letters = Array(word.utf8)
    let limit = letters.count <= 3 ? letters.count / 2 : max(2, letters.count / 3)
    let ranked = names.map { (name: $0, distance: editDistance(letters, Array($0.utf8))) }
    return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.name
}

/// The end of a message: nothing when there is no guess.
func didYouMean(_ guesses: [String]) -> String {
    guard !guesses.isEmpty else { return "" }
    return "; did you mean \(guesses.map { "'\($0)'" }.joined(separator: " or "))?"
}

/// `didYouMean` of the nearest name.
func didYouMean(_ word: String, in names: [String]) -> String {
    didYouMean(nearest(to: word, in: names).map { [$0] } ?? [])
}

/// The verbs that someone who wrote these words may want.
func verbsNear(_ first: String, _ second: String?) -> [String] {
    let names = verbs.map(\.name)
    // gocryptfs and encfs have options where we have verbs.
    let word = String(first.drop { $0 == "-" })
    if let known = otherNames[word] { return [known] }
    if names.contains(word) { return [word] }
    let firsts = names.map { String($0.prefix { $0 != " " }) }
    // A whole second word: `list` is `account list` or `config list`.
    let seconds = names.filter { $0.hasSuffix(" \(word)") }
    if !seconds.isEmpty, !firsts.contains(word) { return Array(seconds.prefix(3)) }
    let begun = word.utf8.count > 1 ? names.filter { $0.hasPrefix(word) && !$0.contains(" ") } : []
    if let only = begun.first, begun.count == 1 { return [only] }
    guard let near = nearest(to: word, in: firsts) else {
        return nearestSecond(to: word, in: names)
    }
    guard let second, case let group = Verb.group(near), !group.isEmpty else { return [near] }
    return nearest(to: "\(near) \(second)", in: group.map(\.name)).map { [$0] } ?? [near]
}

/// The verbs of two words whose second is the nearest.
private func nearestSecond(to word: String, in names: [String]) -> [String] {
    let seconds = names.compactMap { name in
        name.firstIndex(of: " ").map { String(name[name.index(after: $0)...]) }
    }
    guard let near = nearest(to: word, in: seconds) else { return [] }
    return Array(names.filter { $0.hasSuffix(" \(near)") }.prefix(3))
}

/// How other programs that encrypt files call what we have too.
private let otherNames = [
    "umount": "unmount", "fusermount": "unmount", "close": "lock", "open": "unlock",
    "passwd": "account passphrase", "chpw": "account passphrase", "fsck": "verify",
    "chown": "owner", "ls": "owner", "create": "init", "setup": "init", "add": "account register",
    "accounts": "account list", "speed": "metrics",
]

/// Insertions, deletions, replacements, and exchanges of two letters side by side, that turn one into the other
/// (optimal string alignment).
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

/// For a shell's single quotes.
func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}

extension ByteString {
    /// For a command that is proposed: as a shell takes it for one word.
    var asArgument: String {
        if !bytes.isEmpty, bytes.allSatisfy(Self.isPlain) { return shown }
        // Where it has octal digits, bash and zsh read them so.
        return text == shown
            ? quoted(shown)
            : "$'\(shown.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\047"))'"
    }

    /// Letters of other alphabets are no matter either.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "/._-+,:@%=".utf8.contains(byte)
        }
    }
}
