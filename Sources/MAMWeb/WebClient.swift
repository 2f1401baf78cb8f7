// Requests over HTTPS, by libcurl: without redirections, which lead to places that nobody has
// named.

internal import CCurl

/// How all requests of a client are made.
package struct WebSettings: Sendable {
    /// Whose certificates count.
    package enum Authority: Sendable {
        case system
        /// Those of a text in PEM, beside the system's directory.
        case pem(String)
        /// Those of a file in place of the system's.
        case file(String)
    }

    package let agent: String
    package let authority: Authority
    /// Of an answer's body.
    package let maximumByteCount: Int
    package let connectSeconds: Int
    package let timeoutSeconds: Int

    package init(
        agent: String, authority: Authority, maximumByteCount: Int, connectSeconds: Int,
        timeoutSeconds: Int
    ) {
        (self.agent, self.authority) = (agent, authority)
        self.maximumByteCount = maximumByteCount
        (self.connectSeconds, self.timeoutSeconds) = (connectSeconds, timeoutSeconds)
    }
}

package struct WebAnswer: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
    /// The `ETag`, if it can be sent back as it is.
    package let tag: String?
}

package enum WebFailure: Error, Sendable, Equatable {
    /// A clause.
    case transport(String)
    /// A server's answer that nobody expects.
    case status(Int)
    case tooLong
}

extension WebFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .transport(let text): text
        case .status(let number): "the server answers \(number)"
        case .tooLong: "the file is too long"
        }
    }
}

/// One thread uses it; the connection is kept for the next request.
package final class WebClient {
    private let settings: WebSettings
    private let handle: OpaquePointer
    /// Where libcurl says more of a failure than its code does.
    private let reason: UnsafeMutablePointer<CChar>

    /// Nil if libcurl does not start.
    package init?(_ settings: WebSettings) {
        guard Self.isStarted, let made = curl_easy_init() else { return nil }
        self.settings = settings
        handle = OpaquePointer(made)
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(curl)
        reason.deallocate()
    }

    /// Once for the process.
    private static let isStarted = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private var curl: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    /// `tag`: asks for what has another `ETag`. `form`: posted, as
    /// `application/x-www-form-urlencoded`; nil to get. Addresses other than https fail.
    package func perform(
        _ address: String, tag: String? = nil, form: String? = nil
    ) throws(WebFailure) -> WebAnswer {
        curl_easy_reset(curl)
        reason[0] = 0
        try configure(address)
        if let form { try check(mam_curl_text(curl, CURLOPT_COPYPOSTFIELDS, form)) }
        let headers = tag.flatMap { curl_slist_append(nil, "If-None-Match: \($0)") }
        defer { curl_slist_free_all(headers) }
        if headers != nil { try check(mam_curl_headers(curl, headers)) }
        let sink = WebSink(maximumByteCount: settings.maximumByteCount)
        let context = Unmanaged.passUnretained(sink).toOpaque()
        try check(mam_curl_sinks(curl, takeBody, takeHeader, context))
        let code = withExtendedLifetime(sink) { curl_easy_perform(curl) }
        if sink.isFull { throw .tooLong }
        try check(code)
        return WebAnswer(status: mam_curl_status(curl), body: sink.body, tag: sink.tag)
    }

    private func configure(_ address: String) throws(WebFailure) {
        try check(mam_curl_reason(curl, reason))
        try check(mam_curl_text(curl, CURLOPT_URL, address))
        try check(mam_curl_text(curl, CURLOPT_PROTOCOLS_STR, "https"))
        try check(mam_curl_text(curl, CURLOPT_USERAGENT, settings.agent))
        try check(mam_curl_number(curl, CURLOPT_FOLLOWLOCATION, 0))
        try check(mam_curl_number(curl, CURLOPT_NOSIGNAL, 1))
        try check(mam_curl_number(curl, CURLOPT_CONNECTTIMEOUT, settings.connectSeconds))
        try check(mam_curl_number(curl, CURLOPT_TIMEOUT, settings.timeoutSeconds))
        try check(mam_curl_number(curl, CURLOPT_MAXFILESIZE, settings.maximumByteCount))
        try check(mam_curl_number(curl, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)))
        switch settings.authority {
        case .system: break
        case .file(let path): try check(mam_curl_text(curl, CURLOPT_CAINFO, path))
        case .pem(let text):
            try check(
                text.utf8.withContiguousStorageIfAvailable {
                    mam_curl_authority(curl, $0.baseAddress, $0.count)
                } ?? CURLE_FAILED_INIT)
        }
    }

    private func check(_ code: CURLcode) throws(WebFailure) {
        switch code {
        case CURLE_OK: return
        case CURLE_FILESIZE_EXCEEDED: throw .tooLong
        default: throw .transport(words(for: code))
        }
    }

    /// Names in it may be the server's: nothing but printable ASCII is kept.
    private func words(for code: CURLcode) -> String {
        let more = String(cString: reason).filter { $0.isASCII && $0 >= " " && $0 != "\u{7F}" }
        let words = curl_easy_strerror(code).map { String(cString: $0) } ?? "failure"
        return more.isEmpty ? words : "\(words): \(more)"
    }
}
