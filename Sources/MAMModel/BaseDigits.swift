// Base32, base64 and base64url (RFC 4648), also of secrets: in the caller's memory, without copies.

/// RFC 4648, section 6, without padding.
package enum Base32 {
    package static func textCount(_ byteCount: Int) -> Int { (byteCount * 8 + 4) / 5 }

    package static func encode(
        _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer
    ) {
        digits(bytes, bits: 5, into: text) { $0 < 26 ? 0x41 + $0 : 0x32 + $0 - 26 }
    }

    /// False for anything that ``encode(_:into:)`` would not write.
    package static func decode(
        _ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        numbers(text, bits: 5, into: bytes) { digit in
            switch digit {
            case 0x41...0x5A: digit - 0x41
            case 0x32...0x37: digit - 0x32 + 26
            default: nil
            }
        }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        encoded(bytes, textCount(bytes.count), encode)
    }
}

/// RFC 4648, section 5, without padding.
package enum Base64URL {
    private static let last = (UInt8(ascii: "-"), UInt8(ascii: "_"))

    package static func textCount(_ byteCount: Int) -> Int { (byteCount * 8 + 5) / 6 }

    package static func encode(
        _ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer
    ) {
        digits(bytes, bits: 6, into: text) { digit64($0, last) }
    }

    /// False for anything that ``encode(_:into:)`` would not write.
    package static func decode(
        _ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        numbers(text, bits: 6, into: bytes) { number64($0, last) }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        encoded(bytes, textCount(bytes.count), encode)
    }

    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        decoded(Array(text)[...], decode)
    }
}

/// RFC 4648, section 4, with padding: one line.
private enum Base64 {
    private static let last = (UInt8(ascii: "+"), UInt8(ascii: "/"))

    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        digits(bytes, bits: 6, into: text) { digit64($0, last) }
    }

    static func decode(
        _ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        numbers(text, bits: 6, into: bytes) { number64($0, last) }
    }
}

/// The bytes as one line of base64, padded.
package func base64(_ bytes: [UInt8]) -> String {
    let padding = (3 - bytes.count % 3) % 3
    return encoded(bytes, Base64URL.textCount(bytes.count), Base64.encode)
        + String(repeating: "=", count: padding)
}

/// The bytes of one line of base64; nil for anything that ``base64(_:)`` would not write.
package func bytes(base64 text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return decoded(text.dropLast(padding), Base64.decode)
}

private func encoded(
    _ bytes: [UInt8], _ textCount: Int,
    _ encode: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Void
) -> String {
    var text = [UInt8](repeating: 0, count: textCount)
    text.withUnsafeMutableBytes { out in bytes.withUnsafeBytes { encode($0, out) } }
    return String(decoding: text, as: UTF8.self)
}

private func decoded(
    _ digits: ArraySlice<UInt8>,
    _ decode: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Bool
) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: digits.count * 6 / 8)
    let isRight = bytes.withUnsafeMutableBytes { out in
        digits.withUnsafeBytes { decode($0, out) }
    }
    return isRight ? bytes : nil
}

/// `last`: the digits of 62 and 63.
private func digit64(_ number: UInt8, _ last: (UInt8, UInt8)) -> UInt8 {
    switch number {
    case 0..<26: 0x41 + number
    case 26..<52: 0x61 + number - 26
    case 52..<62: 0x30 + number - 52
    case 62: last.0
    default: last.1
    }
}

private func number64(_ digit: UInt8, _ last: (UInt8, UInt8)) -> UInt8? {
    switch digit {
    case 0x41...0x5A: digit - 0x41
    case 0x61...0x7A: digit - 0x61 + 26
    case 0x30...0x39: digit - 0x30 + 52
    case last.0: 62
    case last.1: 63
    default: nil
    }
}

/// Computes each digit, and looks none up: a table's cache lines would tell which.
private func digits(
    _ bytes: UnsafeRawBufferPointer, bits: Int, into text: UnsafeMutableRawBufferPointer,
    _ digit: (UInt8) -> UInt8
) {
    precondition(text.count == (bytes.count * 8 + bits - 1) / bits)
    var (buffer, held, at) = (0, 0, 0)
    for byte in bytes {
        buffer = (buffer << 8 | Int(byte)) & 0xFFFF
        held += 8
        while held >= bits {
            held -= bits
            text[at] = digit(UInt8(buffer >> held & (1 << bits - 1)))
            at += 1
        }
    }
    if held > 0 { text[at] = digit(UInt8(buffer << (bits - held) & (1 << bits - 1))) }
}

private func numbers(
    _ text: UnsafeRawBufferPointer, bits: Int, into bytes: UnsafeMutableRawBufferPointer,
    _ number: (UInt8) -> UInt8?
) -> Bool {
    guard bytes.count == text.count * bits / 8,
        text.count == (bytes.count * 8 + bits - 1) / bits
    else { return false }
    var (buffer, held, at) = (0, 0, 0)
    for digit in text {
        guard let number = number(digit) else { return false }
        buffer = (buffer << bits | Int(number)) & 0xFFFF
        held += bits
        if held >= 8 {
            held -= 8
            bytes[at] = UInt8(buffer >> held & 0xFF)
            at += 1
        }
    }
    // Rejects unused bits that are not zero.
    return buffer & (1 << held - 1) == 0
}
