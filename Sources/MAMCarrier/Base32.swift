// Base32 and base64url without padding, also of secrets: in the caller's memory, without copies.

package import MAMCrypto

/// RFC 4648, section 6, without padding.
enum Base32 {
    static func textCount(_ byteCount: Int) -> Int { (byteCount * 8 + 4) / 5 }

    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        digits(bytes, bits: 5, into: text) { $0 < 26 ? 0x41 + $0 : 0x32 + $0 - 26 }
    }

    /// False for anything that ``encode(_:into:)`` would not write.
    static func decode(
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

    static func text(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: textCount(bytes.count))
        text.withUnsafeMutableBytes { out in bytes.withUnsafeBytes { encode($0, into: out) } }
        return String(decoding: text, as: UTF8.self)
    }
}

/// RFC 4648, section 5, without padding.
package enum Base64URL {
    static func textCount(_ byteCount: Int) -> Int { (byteCount * 8 + 5) / 6 }

    static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        digits(bytes, bits: 6, into: text) { number in
            switch number {
            case 0..<26: 0x41 + number
            case 26..<52: 0x61 + number - 26
            case 52..<62: 0x30 + number - 52
            case 62: 0x2D
            default: 0x5F
            }
        }
    }

    /// False for anything that ``encode(_:into:)`` would not write.
    static func decode(
        _ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
    ) -> Bool {
        numbers(text, bits: 6, into: bytes) { digit in
            switch digit {
            case 0x41...0x5A: digit - 0x41
            case 0x61...0x7A: digit - 0x61 + 26
            case 0x30...0x39: digit - 0x30 + 52
            case 0x2D: 62
            case 0x5F: 63
            default: nil
            }
        }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: textCount(bytes.count))
        text.withUnsafeMutableBytes { out in bytes.withUnsafeBytes { encode($0, into: out) } }
        return String(decoding: text, as: UTF8.self)
    }

    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        var bytes = [UInt8](repeating: 0, count: digits.count * 6 / 8)
        let isRight = bytes.withUnsafeMutableBytes { out in
            digits.withUnsafeBytes { decode($0, into: out) }
        }
        return isRight ? bytes : nil
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

extension SecretBytes {
    /// Texts and secrets, one after the other; empty if a secret was erased.
    package static func joining(_ pieces: [Piece]) -> SecretBytes {
        let count = pieces.reduce(0) { $0 + $1.count }
        var isWhole = true
        let joined = SecretBytes(count: count) { room in
            var at = 0
            for piece in pieces {
                let copied = piece.withBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: room[at...]).copyMemory(from: bytes)
                    return bytes.count
                }
                if copied != piece.count { isWhole = false }
                at += piece.count
            }
        }
        return isWhole ? joined : SecretBytes(count: 0)
    }

    package enum Piece: Sendable {
        case text(String)
        case secret(SecretBytes)

        fileprivate var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .secret(let secret): secret.count
            }
        }

        fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch self {
            case .text(let text): Array(text.utf8).withUnsafeBytes(body)
            case .secret(let secret): secret.withBytes(body)
            }
        }
    }
}
