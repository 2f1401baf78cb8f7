// Requests to the issuer, and what their forms look like.

import Glibc
import MAMCommandLine
import MAMModel
import MAMWeb
import MAMWire

extension WebAnswer {
    /// Nil if it is no JSON object.
    var members: [String: JSONValue]? {
        (try? JSONValue(parsing: body, maximumCount: 10_000))?.object
    }
}

/// `form`: posted; nil to get.
func request(_ address: String, form: [(String, String)]? = nil) throws(Failure) -> WebAnswer {
    guard address.lowercased().hasPrefix("https://") else {
        throw Failure(.refused, "the address \(shown(address)) is not one of https")
    }
    // As other programs read it; an issuer of one's own may have a certificate of one's own.
    let authority = getenv("SSL_CERT_FILE").map { String(cString: $0) }
    let settings = WebSettings(
        agent: "mamd-signin/\(productVersion)", authority: authority.map { .file($0) } ?? .system,
        maximumByteCount: 1 << 19, connectSeconds: 15, timeoutSeconds: 30)
    guard let client = WebClient(settings) else { throw Failure("libcurl does not start") }
    do throws(WebFailure) {
        return try client.perform(address, form: form.map(encoded))
    } catch {
        let reason = error == .tooLong ? "its answer is too long" : "\(error)"
        throw Failure("the issuer does not answer: \(shown(address)): \(reason)")
    }
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
