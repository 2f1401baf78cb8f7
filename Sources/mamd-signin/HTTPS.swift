// Requests to the issuer, by libcurl: https alone, without redirections.

import CCurl
import Glibc
import MAMModel
import MAMSystem
import MAMWire

/// What the server answered.
struct Answer {
    let status: Int
    let body: [UInt8]

    /// Nil if it is no JSON object.
    var members: [String: JSONValue]? {
        (try? JSONValue(parsing: body, maximumCount: 10_000))?.object
    }
}

private let maximumByteCount = 1 << 19

/// Collects a body; libcurl calls it on this thread.
private final class Sink {
    var bytes: [UInt8] = []
}

private let take: mam_curl_sink = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
    let length = size * count
    guard sink.bytes.count + length <= maximumByteCount else { return 0 }
    sink.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
    return length
}

private let pass: mam_curl_sink = { _, size, count, _ in size * count }

/// `form`: posted; nil to get.
func request(_ address: String, form: [(String, String)]? = nil) throws(Problem) -> Answer {
    guard address.lowercased().hasPrefix("https://") else {
        throw Problem(.refused, "the address \(shown(address)) is not one of https")
    }
    guard let curl = curl_easy_init() else { throw Problem("libcurl does not start") }
    defer { curl_easy_cleanup(curl) }
    let sink = Sink()
    let code = withExtendedLifetime(sink) {
        prepare(curl, address, form)
        _ = mam_curl_sinks(curl, take, pass, Unmanaged.passUnretained(sink).toOpaque())
        return curl_easy_perform(curl)
    }
    guard code == CURLE_OK else {
        let reason = String(cString: curl_easy_strerror(code))
        throw Problem("the issuer does not answer: \(shown(address)): \(reason)")
    }
    return Answer(status: mam_curl_status(curl), body: sink.bytes)
}

private func prepare(
    _ curl: UnsafeMutableRawPointer, _ address: String, _ form: [(String, String)]?
) {
    _ = mam_curl_text(curl, CURLOPT_URL, address)
    _ = mam_curl_text(curl, CURLOPT_PROTOCOLS_STR, "https")
    _ = mam_curl_number(curl, CURLOPT_FOLLOWLOCATION, 0)
    _ = mam_curl_number(curl, CURLOPT_NOSIGNAL, 1)
    _ = mam_curl_number(curl, CURLOPT_CONNECTTIMEOUT, 15)
    _ = mam_curl_number(curl, CURLOPT_TIMEOUT, 30)
    _ = mam_curl_number(curl, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    _ = mam_curl_text(curl, CURLOPT_USERAGENT, "mamd-signin/\(productVersion)")
    // As other programs read it; an issuer of one's own may have a certificate of one's own.
    if let file = getenv("SSL_CERT_FILE") { _ = mam_curl_text(curl, CURLOPT_CAINFO, file) }
    guard let form else { return }
    let body = encoded(form)
    _ = mam_curl_text(curl, CURLOPT_COPYPOSTFIELDS, body)
}

/// `application/x-www-form-urlencoded`, as forms and addresses have it.
func encoded(_ form: [(String, String)]) -> String {
    form.map { "\(escaped($0))=\(escaped($1))" }.joined(separator: "&")
}

private func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."), UInt8(ascii: "~"):
            bytes.append(byte)
        default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// The inverse; the last of two values of one name counts for nothing: both are dropped.
func decoded(_ query: Substring) -> [String: String] {
    var values: [String: String] = [:]
    var seen: Set<String> = []
    for pair in query.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.flatMap(unescaped) else { continue }
        values[name] = seen.insert(name).inserted && parts.count == 2 ? unescaped(parts[1]) : nil
    }
    return values
}

private func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
        case UInt8(ascii: "%"):
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        default: bytes.append(byte)
        }
    }
    return String(validating: bytes, as: UTF8.self)
}
