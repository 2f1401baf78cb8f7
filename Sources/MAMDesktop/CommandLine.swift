// The command line of a desktop entry: words, quotes and field codes.
// https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html

package import MAMModel
internal import MAMSystem

private let reserved = Set(" \t\n\"'\\><~|&;$*?#()`".utf8)
private let escapedInQuotes = Set("\"`$\\".utf8)
private let percent = UInt8(ascii: "%")

/// The words of an `Exec` value, field codes included. Nil if a quote has no end.
package func words(ofCommandLine value: ByteString) -> [ByteString]? {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var quote: UInt8?
    var rest = value.unescapedValue.bytes[...]
    while let byte = rest.popFirst() {
        if byte == quote {
            quote = nil
        } else if byte == UInt8(ascii: "\\"), quote != UInt8(ascii: "'"), let next = rest.first,
            quote == nil || escapedInQuotes.contains(next)
        {
            word = (word ?? []) + [next]
            rest.removeFirst()
        } else if quote != nil || !" \t\n\"'".utf8.contains(byte) {
            word = (word ?? []) + [byte]
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            // Single quotes are not in the specification, but in use.
            quote = byte
            word = word ?? []
        } else {
            word.map { words.append($0) }
            word = nil
        }
    }
    word.map { words.append($0) }
    return quote == nil ? words.map { ByteString($0) } : nil
}

extension ByteString {
    /// One word of a command line in a desktop entry.
    package var asCommandLineWord: ByteString {
        let doubled = bytes.flatMap { $0 == percent ? [percent, percent] : [$0] }
        guard doubled.isEmpty || doubled.contains(where: reserved.contains) else {
            return ByteString(doubled)
        }
        let escaped = doubled.flatMap {
            escapedInQuotes.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0]
        }
        return ByteString(Array("\"".utf8) + escaped + Array("\"".utf8)).asValue
    }
}

/// What field codes stand for.
package struct FieldValues {
    package var files: [ByteString]
    package let name: ByteString
    package let icon: ByteString?
    /// Of the desktop entry.
    package let path: ByteString

    package init(files: [ByteString], name: ByteString, icon: ByteString?, path: ByteString) {
        (self.files, self.name, self.icon, self.path) = (files, name, icon, path)
    }
}

/// The command lines that open the files: one for all of them where it takes a list, else one each.
package func commands(from words: [ByteString], _ values: FieldValues) -> [[ByteString]] {
    let takesList = words.contains { ["%F", "%U"].contains($0.text) }
    let takesFile = words.contains { fieldCodes($0).contains { "fu".utf8.contains($0) } }
    // As other launchers do.
    let words = takesList || takesFile ? words : words + [ByteString("%f")]
    let shares = takesList || values.files.isEmpty ? [values.files] : values.files.map { [$0] }
    return shares.map { files in
        var values = values
        values.files = files
        return words.flatMap { expanded($0, values) }
    }
}

/// The letters after percent signs.
private func fieldCodes(_ word: ByteString) -> [UInt8] {
    var codes: [UInt8] = []
    var rest = word.bytes[...]
    while let byte = rest.popFirst() {
        if byte == percent, let code = rest.popFirst() { codes.append(code) }
    }
    return codes
}

/// A word may become none, as without files, or several.
private func expanded(_ word: ByteString, _ values: FieldValues) -> [ByteString] {
    switch word.text {
    // A path may stand where a URL may.
    case "%F", "%U": return values.files
    case "%i": return values.icon.map { [ByteString("--icon"), $0] } ?? []
    default: break
    }
    var result: [UInt8] = []
    var rest = word.bytes[...]
    while let byte = rest.popFirst() {
        guard byte == percent, let code = rest.popFirst() else {
            result.append(byte)
            continue
        }
        result += value(of: code, values)
    }
    // Nothing is left of a code that stands alone; an empty word is one.
    return result.isEmpty && !word.bytes.isEmpty ? [] : [ByteString(result)]
}

/// Nothing for codes that are deprecated.
private func value(of code: UInt8, _ values: FieldValues) -> [UInt8] {
    switch code {
    case percent: [percent]
    case UInt8(ascii: "f"), UInt8(ascii: "u"): values.files.first?.bytes ?? []
    case UInt8(ascii: "c"): values.name.bytes
    case UInt8(ascii: "k"): values.path.bytes
    default: []
    }
}
