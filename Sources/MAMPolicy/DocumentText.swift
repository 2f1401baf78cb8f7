// The text of a file that people have: in the encodings that exports come in.

/// In UTF-8, without a byte order mark. Windows' PowerShell writes UTF-16 where it is not told
/// otherwise. What is neither stays as it is, and is no JSON.
package func documentText(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]), bytes.count.isMultiple(of: 2) else {
        return bytes
    }
    return utf16Text(bytes.dropFirst(2), isLittle: isLittle).map { Array($0.utf8) } ?? bytes
}

/// Nil for what is no UTF-16. `bytes`: an even number of them.
func utf16Text(_ bytes: ArraySlice<UInt8>, isLittle: Bool) -> String? {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
        let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
    }
    return String(validating: units, as: UTF16.self)
}

/// Whether a file of this name has documents.
package func isDocumentName(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    name.first != UInt8(ascii: ".")
        && String(decoding: name.suffix(5), as: UTF8.self).lowercased() == ".json"
}
