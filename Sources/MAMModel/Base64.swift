// Base64 (RFC 4648, section 4).

private let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let padding = UInt8(ascii: "=")

/// The bytes as one line of base64, padded.
package func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let value = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for place in 0..<4 {
            text.append(place <= group.count ? alphabet[value >> (18 - 6 * place) & 63] : padding)
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// The bytes of one line of base64; nil for anything that ``base64(_:)`` would not write.
package func bytes(base64 text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 4) else { return nil }
    let body = digits.last == padding ? digits.drop(while: { $0 != padding }).count : 0
    guard body <= 2, digits.suffix(body).allSatisfy({ $0 == padding }) else { return nil }
    var found: [UInt8] = []
    found.reserveCapacity(digits.count / 4 * 3)
    for start in stride(from: 0, to: digits.count, by: 4) {
        let isLast = start + 4 == digits.count
        let group = digits[start..<start + 4].prefix(isLast ? 4 - body : 4)
        var value = 0
        for digit in group {
            guard let number = values[Int(digit)] else { return nil }
            value = value << 6 | Int(number)
        }
        value <<= 6 * (4 - group.count)
        for place in 0..<group.count - 1 { found.append(UInt8(value >> (16 - 8 * place) & 0xFF)) }
    }
    // Rejects unused bits that are not zero.
    return base64(found) == text ? found : nil
}

private let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    for (number, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(number) }
    return values
}()
