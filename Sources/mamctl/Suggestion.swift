// What somebody may have meant, and commands that are proposed.

internal import MAMModel
internal import MAMSystem

/// The verbs that someone who wrote these words may want.
func verbsNear(_ first: String, _ second: String?) -> [String] {
    let names = verbs.filter { $0.alias == nil }.map(\.name)
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
    let aliases = verbs.filter { $0.alias != nil }.map(\.name)
    guard let near = nearest(to: word, in: firsts) ?? nearest(to: word, in: aliases) else {
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
    "chown": "protect", "ls": "owner", "create": "init", "setup": "init", "add": "account register",
    "accounts": "account list", "speed": "metrics", "v": "version",
]

/// For a shell's single quotes.
func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}

extension ByteString {
    /// For a command that is proposed: as a shell takes it for one word.
    var asArgument: String {
        if !bytes.isEmpty, bytes.allSatisfy(Self.isPlain) { return shown }
        // Where it has octal digits, bash and zsh read them so.
        if text == shown { return quoted(shown) }
        let parts = shown.split(separator: "'", omittingEmptySubsequences: false)
        return "$'\(parts.joined(separator: "\\047"))'"
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
