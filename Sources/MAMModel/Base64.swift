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
    var text = text
    return text.withUTF8 { digits in
        guard digits.count.isMultiple(of: 4) else { return nil }
        guard !digits.isEmpty else { return [] }
        let missing = digits.last != padding ? 0 : digits[digits.count - 2] != padding ? 1 : 2
        let count = digits.count / 4 * 3 - missing
        var isValid = true
        let found = [UInt8](unsafeUninitializedCapacity: count + 2) { buffer, filled in
            for group in 0..<digits.count / 4 {
                let used = group == digits.count / 4 - 1 ? 4 - missing : 4
                var value: UInt32 = 0
                for place in 0..<used {
                    let number = values[Int(digits[4 * group + place])]
                    if number == notADigit { isValid = false }
                    value = value << 6 | UInt32(number & 63)
                }
                value <<= 6 * UInt32(4 - used)
                // Of the last group, bits that stand for no byte must be zero.
                if value & (1 << (8 * UInt32(4 - used)) - 1) != 0 { isValid = false }
                buffer[3 * group] = UInt8(truncatingIfNeeded: value >> 16)
                buffer[3 * group + 1] = UInt8(truncatingIfNeeded: value >> 8)
                buffer[3 * group + 2] = UInt8(truncatingIfNeeded: value)
            }
            filled = count
        }
        return isValid ? found : nil
    }
}

private let notADigit: UInt8 = 0xFF

private let values: [UInt8] = {
    var values = [UInt8](repeating: notADigit, count: 256)
    for (number, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(number) }
    return values
}()
