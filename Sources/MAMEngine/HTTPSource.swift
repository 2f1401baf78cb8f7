// Files over HTTPS.

internal import CCurl
internal import Glibc

/// A directory of a web server. One thread uses it; the connection is kept for the next file.
package final class HTTPSource {
    /// What a request brought.
    package enum Answer: Sendable, Equatable {
        /// The file has the tag that was told.
        case unchanged
        case missing
        case file([UInt8], tag: String?)
    }

    package enum Failure: Error, Sendable, Equatable {
        /// A clause.
        case transport(String)
        case status(Int)
        case tooLong
    }

    private let base: String
    private let authority: String?
    private let agent: String
    private let maximumByteCount: Int
    private let handle: OpaquePointer

    private static let timeoutSeconds = 60
    private static let connectSeconds = 10

    /// `authority`: certificates in PEM that count beside the system's. Nil if libcurl does not start, or
    /// `base` is no https URL.
    package init?(base: String, authority: String?, agent: String, maximumByteCount: Int) {
        guard base.hasPrefix("https://"), Self.isStarted, let made = curl_easy_init() else {
            return nil
        }
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        (self.authority, self.agent) = (authority, agent)
        self.maximumByteCount = maximumByteCount
        handle = OpaquePointer(made)
    }

    deinit { curl_easy_cleanup(curl) }

    /// Once for the process.
    private static let isStarted = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private var curl: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    /// The file below the directory. `tag`: the `ETag` of what is known.
    package func get(_ path: String, tag: String?) throws(Failure) -> Answer {
        curl_easy_reset(curl)
        try configure(url: "\(base)/\(path)")
        let sink = HTTPSink(maximumByteCount: maximumByteCount)
        let context = Unmanaged.passUnretained(sink).toOpaque()
        let headers = tag.flatMap { curl_slist_append(nil, "If-None-Match: \($0)") }
        defer { curl_slist_free_all(headers) }
        if headers != nil { try check(mam_curl_headers(curl, headers)) }
        try check(mam_curl_sinks(curl, takeBody, takeHeader, context))
        let code = withExtendedLifetime(sink) { curl_easy_perform(curl) }
        if sink.isFull { throw .tooLong }
        try check(code)
        switch mam_curl_status(curl) {
        case 200: return .file(sink.body, tag: sink.tag)
        case 304 where tag != nil: return .unchanged
        case 404, 410: return .missing
        case let status: throw .status(status)
        }
    }

    private func configure(url: String) throws(Failure) {
        try check(mam_curl_text(curl, CURLOPT_URL, url))
        try check(mam_curl_text(curl, CURLOPT_PROTOCOLS_STR, "https"))
        try check(mam_curl_text(curl, CURLOPT_USERAGENT, agent))
        // No redirect: it would lead to a place that nobody has named.
        try check(mam_curl_number(curl, CURLOPT_FOLLOWLOCATION, 0))
        try check(mam_curl_number(curl, CURLOPT_NOSIGNAL, 1))
        try check(mam_curl_number(curl, CURLOPT_CONNECTTIMEOUT, Self.connectSeconds))
        try check(mam_curl_number(curl, CURLOPT_TIMEOUT, Self.timeoutSeconds))
        try check(mam_curl_number(curl, CURLOPT_MAXFILESIZE, maximumByteCount))
        guard let authority else { return }
        try check(
            authority.utf8.withContiguousStorageIfAvailable {
                mam_curl_authority(curl, $0.baseAddress, $0.count)
            } ?? CURLE_FAILED_INIT)
    }

    private func check(_ code: CURLcode) throws(Failure) {
        switch code {
        case CURLE_OK: return
        case CURLE_FILESIZE_EXCEEDED: throw .tooLong
        default:
            throw .transport(curl_easy_strerror(code).map { String(cString: $0) } ?? "failure")
        }
    }
}

extension HTTPSource.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .transport(let text): text
        case .status(let number): "the server answers \(number)"
        case .tooLong: "the file is too long"
        }
    }
}

/// What arrives during one request, which one thread makes.
private final class HTTPSink {
    let maximumByteCount: Int
    var body: [UInt8] = []
    var tag: String?
    var isFull = false

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }
}

private func sink(_ context: UnsafeMutableRawPointer?) -> HTTPSink? {
    context.map { Unmanaged<HTTPSink>.fromOpaque($0).takeUnretainedValue() }
}

private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let total = size * count
    guard let sink = sink(context), let bytes else { return 0 }
    guard sink.body.count + total <= sink.maximumByteCount else {
        sink.isFull = true
        return 0
    }
    sink.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: total))
    return total
}

private func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let total = size * count
    guard let sink = sink(context), let bytes else { return total }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: total), as: UTF8.self)
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "etag" else { return total }
    let value = parts[1].drop { $0 == " " || $0 == "\t" }.prefix { !$0.isNewline }
    // It goes back as it came: nothing that would begin a header of its own, nor a long one.
    let isSafe = value.utf8.count <= 200 && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    sink.tag = isSafe ? String(value) : nil
    return total
}
