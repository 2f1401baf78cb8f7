// File names and arguments as bytes, in any encoding.

internal import Glibc

/// Bytes without a zero byte: how the kernel represents names and arguments.
package struct ByteString: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes.filter { $0 != 0 } }
    package init(_ text: String) { self.init(Array(text.utf8)) }

    package init(cString: UnsafePointer<CChar>) {
        bytes = UnsafeBufferPointer(start: cString, count: strlen(cString))
            .map { UInt8(bitPattern: $0) }
    }

    /// For system calls: Swift passes an array where C expects a pointer.
    package var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    /// The text, if it is UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// For JSON, which has no byte strings: the text if it is UTF-8, else ``shown``.
    package var wireText: String { text ?? shown }

    /// For messages: escapes unprintable bytes as `\ooo`, so that a name cannot control a terminal
    /// and different names look different.
    package var shown: String {
        // Almost every name: Unicode's tables cost many times as much.
        if bytes.allSatisfy(Self.isPlain) { return String(decoding: bytes, as: UTF8.self) }
        guard let text, !text.unicodeScalars.contains(where: { $0.isUnprintable || $0 == "\\" })
        else {
            return bytes.map(Self.escaped).joined()
        }
        return text
    }

    /// The inverse of ``shown``.
    package init(shown text: String) {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "\\") ? rest.prefix(3) : []
            if digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        self.init(bytes)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\\")
    }

    private static func escaped(_ byte: UInt8) -> String {
        if isPlain(byte) {
            return String(UnicodeScalar(byte))
        }
        return octal(byte)
    }
}

// Paths.
extension ByteString {
    /// The part before the last slash: `.` when there is none.
    package var directory: ByteString {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return ByteString(".") }
        return slash == 0 ? ByteString("/") : ByteString(Array(bytes[..<slash]))
    }

    /// The part after the last slash.
    package var lastComponent: ByteString {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return self }
        return ByteString(Array(bytes[(slash + 1)...]))
    }

    /// Without trailing slashes.
    package var withoutTrailingSlashes: ByteString {
        var rest = bytes[...]
        while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
        return ByteString(Array(rest))
    }

    package func appending(_ component: String) -> ByteString { appending(ByteString(component)) }

    /// Both parts, with a slash between them where needed.
    package func appending(_ component: ByteString) -> ByteString {
        let needsSlash = !bytes.isEmpty && bytes.last != UInt8(ascii: "/")
        return ByteString(bytes + (needsSlash ? [UInt8(ascii: "/")] : []) + component.bytes)
    }

    /// True when `self` is `other` or is below it; both absolute and resolved.
    package func isWithin(_ other: ByteString) -> Bool {
        if other.bytes == [UInt8(ascii: "/")] || self == other { return true }
        return bytes.starts(with: other.bytes + [UInt8(ascii: "/")])
    }

    /// The part below a directory; nil for a path that is not below it.
    package func relative(to directory: ByteString) -> ByteString? {
        guard isWithin(directory), self != directory else { return nil }
        let isRoot = directory.bytes.last == UInt8(ascii: "/")
        return ByteString(Array(bytes[(directory.bytes.count + (isRoot ? 0 : 1))...]))
    }
}
