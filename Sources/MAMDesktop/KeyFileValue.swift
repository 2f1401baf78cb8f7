// Values of key files: escapes, and lists.

package import MAMModel
internal import MAMSystem

private let backslash = UInt8(ascii: "\\")

private let escapes: [(letter: UInt8, byte: UInt8)] = [
    (UInt8(ascii: "n"), UInt8(ascii: "\n")), (UInt8(ascii: "t"), UInt8(ascii: "\t")),
    (UInt8(ascii: "r"), UInt8(ascii: "\r")), (backslash, backslash),
]

extension ByteString {
    /// The value for which a key file has these bytes.
    package var unescapedValue: ByteString {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == backslash, let letter = rest.first else {
                result.append(byte)
                continue
            }
            if letter == UInt8(ascii: "s") {
                result.append(UInt8(ascii: " "))
            } else if let escape = escapes.first(where: { $0.letter == letter }) {
                result.append(escape.byte)
            } else {
                result += [byte, letter]
            }
            rest.removeFirst()
        }
        return ByteString(result)
    }

    /// What a key file has for these bytes.
    package var asValue: ByteString {
        let isIndented = bytes.first == UInt8(ascii: " ")
        let rest = isIndented ? bytes.dropFirst() : bytes[...]
        return ByteString(
            (isIndented ? Array("\\s".utf8) : [])
                + rest.flatMap { byte in
                    escapes.first { $0.byte == byte }.map { [backslash, $0.letter] } ?? [byte]
                })
    }

    /// The parts of a list, which end with semicolons.
    package var listedValues: [ByteString] {
        var parts: [[UInt8]] = [[]]
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == backslash, rest.first == UInt8(ascii: ";") {
                parts[parts.count - 1].append(rest.removeFirst())
            } else if byte == UInt8(ascii: ";") {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        return parts.filter { !$0.isEmpty }.map { ByteString($0).unescapedValue }
    }
}

/// A list as a value. For names without semicolons.
package func listValue(of parts: [ByteString]) -> ByteString {
    ByteString(parts.flatMap { $0.asValue.bytes + [UInt8(ascii: ";")] })
}
