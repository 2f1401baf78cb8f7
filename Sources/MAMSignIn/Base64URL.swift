// Base64 for URLs, without padding (RFC 4648, section 5), as tokens have it.

internal import MAMCrypto
internal import MAMModel

package func base64URL(_ bytes: [UInt8]) -> String {
    String(
        base64(bytes).compactMap { character in
            switch character {
            case "+": "-"
            case "/": "_"
            case "=": nil
            default: character
            }
        })
}

/// Nil for anything that ``base64URL(_:)`` would not write.
package func bytes(base64URL text: some Sequence<UInt8>) -> [UInt8]? {
    var digits: [UInt8] = []
    for digit in text {
        switch digit {
        case UInt8(ascii: "-"): digits.append(UInt8(ascii: "+"))
        case UInt8(ascii: "_"): digits.append(UInt8(ascii: "/"))
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
        default: digits.append(digit)
        }
    }
    let missing = (4 - digits.count % 4) % 4
    guard missing < 3 else { return nil }
    digits += Array(repeating: UInt8(ascii: "="), count: missing)
    return String(validating: digits, as: UTF8.self).flatMap { bytes(base64: $0) }
}

/// 256 random bits.
package func randomText() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    bytes.withUnsafeMutableBytes { SecureRandom.fill($0) }
    return base64URL(bytes)
}
