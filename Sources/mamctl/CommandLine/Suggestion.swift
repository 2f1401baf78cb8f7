// Suggestions for mistyped words, and commands to suggest.

internal import MAMModel
internal import MAMSystem

/// What a guess must not lead to: these destroy, or forget.
private let destructiveVerbs: Set = ["wipe", "account deregister", "workspace remove"]

/// The verbs that the user may have meant.
func verbsNear(_ first: String, _ second: String?) -> [String] {
    let names = verbs.filter { $0.alias == nil && !destructiveVerbs.contains($0.name) }.map(\.name)
    // gocryptfs and encfs have options instead of verbs.
    let word = String(first.drop { $0 == "-" })
    if let known = otherNames[word] { return [known] }
    if names.contains(word) { return [word] }
    let firsts = names.map { String($0.prefix { $0 != " " }) }
    // A whole second word: `list` is `account list` or `config list`.
    let seconds = names.filter { $0.hasSuffix(" \(word)") }
    if !seconds.isEmpty, !firsts.contains(word) { return Array(seconds.prefix(3)) }
    let isBeginning = word.utf8.count > 1 && !firsts.contains(word)
    let begun = isBeginning ? names.filter { $0.hasPrefix(word) && !$0.contains(" ") } : []
    if let only = begun.first, begun.count == 1 { return [only] }
    let aliases =
        verbs.filter { verb in verb.alias.map { !destructiveVerbs.contains($0) } ?? false }
        .map(\.name)
    guard let near = nearest(to: word, in: firsts) ?? nearest(to: word, in: aliases) else {
        return nearestSecond(to: word, in: names)
    }
    guard let second, case let group = Verb.group(near), !group.isEmpty else { return [near] }
    let known = group.map(\.name).filter(names.contains)
    return nearest(to: "\(near) \(second)", in: known).map { [$0] }
        ?? [near]
}

/// The two-word verbs with the nearest second word.
private func nearestSecond(to word: String, in names: [String]) -> [String] {
    let seconds = names.compactMap { name in
        name.firstIndex(of: " ").map { String(name[name.index(after: $0)...]) }
    }
    guard let near = nearest(to: word, in: seconds) else { return [] }
    return Array(names.filter { $0.hasSuffix(" \(near)") }.prefix(3))
}

/// What similar programs call our verbs.
private let otherNames = [
    "umount": "unmount", "fusermount": "unmount", "close": "lock",
    "passwd": "account passphrase", "chpw": "account passphrase", "fsck": "verify",
    "chown": "protect", "ls": "owner", "create": "init", "add": "account register",
    "accounts": "account list", "speed": "metrics", "v": "version",
    "move": "workspace rename", "give": "protect", "start": "mount", "stop": "unmount",
    "backup": "account export", "reset": "account passphrase", "forgot": "account passphrase",
    "eject": "unmount", "quit": "unmount", "why": "info",
]

/// What there is no verb for, and what does it.
let otherWays: [String: Message] = [
    "policy remove": "rm the document from the directory policies beside the workspace's settings:"
        + " mamctl policy show has its name",
    "remove": noWorkspace, "uninstall": noWorkspace,
    "restore": "mamctl decrypt FILE -o NEW opens a file of a backup; mamctl account import brings"
        + " keys back",
]

private let noWorkspace: Message =
    "mamctl leave copies all files out, and mamctl workspace remove forgets a workspace"

/// Quotes text for a shell with single quotes.
func quoted(_ text: String) -> String {
    "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
}

extension ByteString {
    /// Quotes the name as one word of a shell command.
    var asArgument: String {
        if !bytes.isEmpty, bytes.allSatisfy(Self.isPlain) { return shown }
        // `$'…'`: bash and zsh decode the octal escapes in `shown`.
        if text == shown { return quoted(shown) }
        let parts = shown.split(separator: "'", omittingEmptySubsequences: false)
        return "$'\(parts.joined(separator: "\\047"))'"
    }

    /// Bytes that need no quotes, UTF-8 letters included.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "/._-+,:@%=".utf8.contains(byte)
        }
    }
}
