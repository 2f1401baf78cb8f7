// The parts of a URL that policy uses, and its patterns.

/// Splits a URL by RFC 3986. Programs pass arbitrary text, so anything that does not parse is
/// rejected.
package struct URLText: Sendable, Equatable {
    /// In lower case.
    package let scheme: String
    /// Everything after the colon.
    let rest: String
    /// In lower case, without user and port; nil if the URL has no authority.
    let host: String?
    /// Everything after the authority.
    let path: String

    /// Longer URLs are refused: no program opens them.
    static let maximumByteCount = 65536

    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumByteCount,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let scheme = Self.scheme(text[..<colon])
        else { return nil }
        self.scheme = scheme
        rest = String(text[text.utf8.index(after: colon)...])
        (host, path) = Self.split(rest)
    }

    /// The same URL under another scheme.
    func with(scheme: String) -> String { "\(scheme):\(rest)" }

    /// A letter, followed by letters, digits and `+-.`; in lower case. Nil if it is too long to be
    /// quoted in a reason.
    static func scheme(_ text: some StringProtocol) -> String? {
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 255,
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return text.lowercased()
    }

    /// A backslash also ends the host, because browsers treat it as a slash.
    private static func split(_ rest: String) -> (host: String?, path: String) {
        guard rest.hasPrefix("//") else { return (nil, rest) }
        let hierarchy = rest.utf8.dropFirst(2)
        let end = hierarchy.firstIndex { "/?#\\".utf8.contains($0) } ?? hierarchy.endIndex
        let authority = hierarchy[..<end]
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        let hostAndPort = Substring(authority[(start ?? authority.startIndex)...])
        return (withoutPort(hostAndPort).lowercased(), String(Substring(hierarchy[end...])))
    }

    private static func withoutPort(_ text: Substring) -> Substring {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            text[text.utf8.index(after: colon)...].utf8.allSatisfy(isDigit)
        else { return text }
        return text[..<colon]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

// `managedUniversalLinks` and `exemptedUniversalLinks`: URL patterns with asterisks.
extension URLText {
    /// True if the URL matches the pattern. An asterisk matches any text within its host or its
    /// path: `https://*.contoso.com/*` does not match `https://evil.example/x.contoso.com/`.
    func matches(_ pattern: String) -> Bool {
        guard let pattern = URLText(pattern), scheme == pattern.scheme, let host,
            let patternHost = pattern.host
        else { return false }
        return Self.glob(host.utf8, patternHost.utf8)
            && Self.glob(slashed(path).utf8, slashed(pattern.path).utf8)
    }

    /// An empty path is the root.
    private func slashed(_ path: String) -> String { path.isEmpty ? "/" : path }

    /// Backtracks only to the last asterisk, so the time is bounded by the product of the lengths.
    private static func glob(_ text: String.UTF8View, _ pattern: String.UTF8View) -> Bool {
        let asterisk = UInt8(ascii: "*")
        var (here, wanted) = (text.startIndex, pattern.startIndex)
        var retry: (text: String.Index, pattern: String.Index)?
        while here < text.endIndex {
            if wanted < pattern.endIndex, pattern[wanted] == asterisk {
                wanted = pattern.index(after: wanted)
                retry = (here, wanted)
            } else if wanted < pattern.endIndex, pattern[wanted] == text[here] {
                (here, wanted) = (text.index(after: here), pattern.index(after: wanted))
            } else if let last = retry {
                retry = (text.index(after: last.text), last.pattern)
                (here, wanted) = (text.index(after: last.text), last.pattern)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == asterisk }
    }
}
