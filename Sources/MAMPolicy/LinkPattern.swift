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
