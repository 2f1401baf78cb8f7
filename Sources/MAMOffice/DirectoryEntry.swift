// What a directory has answered: entries in LDIF (RFC 2849).

internal import MAMModel

package struct DirectoryEntry: Sendable, Equatable {
    package let dn: String
    /// By attribute and options in lower case, such as `member;range=0-1499`. Values are bytes that
    /// people may have written themselves.
    package fileprivate(set) var values: [String: [[UInt8]]] = [:]

    package init(dn: String, values: [String: [[UInt8]]] = [:]) {
        (self.dn, self.values) = (dn, values)
    }

    /// ``dn``, as a key.
    var key: String { directoryKey(dn) }
}

/// Equal for DNs that differ in case, or in spaces around commas, as servers compare them. A
/// member whose DN is written otherwise is not found, and is reported.
func directoryKey(_ dn: String) -> String {
    var parts: [Substring] = []
    for part in dn.split(separator: ",", omittingEmptySubsequences: false) {
        let start = part.drop { $0 == " " }
        let end = start.lastIndex { $0 != " " }.map { start.index(after: $0) }
        let text = start[..<(end ?? start.startIndex)]
        // A space behind a backslash belongs to the value.
        parts.append(text.hasSuffix("\\") ? start : text)
    }
    return parts.joined(separator: ",").caseFolded
}

extension DirectoryEntry {
    /// The entries that `ldapsearch -LLL -o ldif-wrap=no` prints.
    package static func all(in ldif: [UInt8]) throws(PeopleRefusal) -> [DirectoryEntry] {
        var (entries, current) = ([DirectoryEntry](), DirectoryEntry?.none)
        let lines = ldif.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.dropLast().enumerated() {
            if line.isEmpty {
                if let entry = current { entries.append(entry) }
                current = nil
            } else if line.first == UInt8(ascii: "#") {
                // ldapsearch's own: no value begins a line.
                if line.starts(with: Array("# ref".utf8)) { throw .elsewhere }
            } else if let (name, value) = attribute(in: line) {
                if current != nil {
                    current?.values[name, default: []].append(value)
                } else if name == "dn", let dn = String(validating: value, as: UTF8.self) {
                    current = DirectoryEntry(dn: dn)
                } else {
                    throw .malformed(line: index + 1)
                }
            } else {
                throw .malformed(line: index + 1)
            }
        }
        // Each line has an end, and each entry an empty line: this was cut.
        guard current == nil, lines.last?.isEmpty != false else {
            throw .malformed(line: lines.count)
        }
        return entries
    }

    /// `NAME: TEXT` or `NAME:: BASE64`.
    private static func attribute(in line: ArraySlice<UInt8>) -> (name: String, value: [UInt8])? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            return nil
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        guard !name.contains(" ") else { return nil }
        let rest = line[(colon + 1)...]
        switch rest.first {
        case nil: return (name, [])
        case UInt8(ascii: " "): return (name, Array(rest.dropFirst()))
        case UInt8(ascii: ":") where rest.dropFirst().first == UInt8(ascii: " "):
            let text = String(decoding: rest.dropFirst(2), as: UTF8.self)
            return bytes(base64: text).map { (name, $0) }
        default: return nil
        }
    }
}
