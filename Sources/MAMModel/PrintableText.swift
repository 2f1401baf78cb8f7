// Escapes untrusted text, so that it cannot control a terminal or a log.

extension Unicode.Scalar {
    /// Controls including 0x80 to 0x9F, characters that reorder or hide their neighbours, and line
    /// separators.
    var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}

extension String {
    /// On one line, unprintable characters escaped as `\ooo` per byte.
    package var onOneLine: String {
        guard utf8.contains(where: { !Self.isPlain($0) }),
            unicodeScalars.contains(where: \.isUnprintable)
        else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isUnprintable {
                for byte in UTF8.encode(scalar).map(Array.init) ?? [] { text += octal(byte) }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }
}

/// A byte as `\ooo`.
func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
}

/// Escapes unprintable characters in the strings of a JSON text as `\uXXXX`: the same value, safe
/// for terminals and editors. Leaves line breaks and spaces between strings.
package func printable(json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
        if scalar.value >= 0x7F, scalar.isUnprintable {
            for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                let digits = String(unit, radix: 16)
                result += Array(
                    "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
            }
        } else {
            result += UTF8.encode(scalar).map(Array.init) ?? []
        }
    }
    return result
}
