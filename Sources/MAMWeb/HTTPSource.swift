// Files over HTTPS.

/// A directory of a web server. One thread uses it.
package final class HTTPSource {
    /// What a request brought.
    package enum Answer: Sendable, Equatable {
        /// The file has the tag that was told.
        case unchanged
        case missing
        case file([UInt8], tag: String?)
    }

    private let base: String
    private let client: WebClient

    private static let timeoutSeconds = 60
    private static let connectSeconds = 10

    /// `authority`: certificates in PEM that count beside the system's. Nil if libcurl does not
    /// start, or `base` is no https URL.
    package init?(base: String, authority: String?, agent: String, maximumByteCount: Int) {
        let settings = WebSettings(
            agent: agent, authority: authority.map { .pem($0) } ?? .system,
            maximumByteCount: maximumByteCount, connectSeconds: Self.connectSeconds,
            timeoutSeconds: Self.timeoutSeconds)
        guard base.hasPrefix("https://"), let client = WebClient(settings) else { return nil }
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.client = client
    }

    /// The file below the directory. `tag`: the `ETag` of what is known.
    package func get(_ path: String, tag: String?) throws(WebFailure) -> Answer {
        let answer = try client.perform("\(base)/\(path)", tag: tag)
        switch answer.status {
        case 200: return .file(answer.body, tag: answer.tag)
        case 304 where tag != nil: return .unchanged
        case 404, 410: return .missing
        case let status: throw .status(status)
        }
    }
}
