// Key files of the desktop, such as desktop entries and mimeapps.list: groups of keys with values.
// https://specifications.freedesktop.org/desktop-entry-spec/latest/basic-format.html

package import MAMModel
internal import MAMSystem

/// A file as bytes, so that what nobody asks about stays as it is, comments included.
package struct KeyFile: Sendable, Equatable {
    private enum Line: Equatable {
        case entry(key: ByteString, value: ByteString)
        /// A comment, an empty line, or something that is no key.
        case other(ByteString)
    }

    private struct Group: Equatable {
        /// Empty for what stands before the first group.
        let name: ByteString
        var lines: [Line] = []
    }

    private var groups: [Group]

    package init(parsing bytes: [UInt8]) {
        groups = [Group(name: ByteString(""))]
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if let name = Self.groupName(line) {
                groups.append(Group(name: name))
            } else {
                groups[groups.count - 1].lines.append(Self.line(line))
            }
        }
        // A line's end is no line.
        if groups[groups.count - 1].lines.last == .other(ByteString("")) {
            groups[groups.count - 1].lines.removeLast()
        }
    }

    private static func groupName(_ line: ArraySlice<UInt8>) -> ByteString? {
        guard line.first == UInt8(ascii: "["), let end = line.lastIndex(of: UInt8(ascii: "]"))
        else { return nil }
        return ByteString(Array(line[line.index(after: line.startIndex)..<end]))
    }

    private static func line(_ line: ArraySlice<UInt8>) -> Line {
        guard line.first != UInt8(ascii: "#"), let sign = line.firstIndex(of: UInt8(ascii: "="))
        else { return .other(ByteString(Array(line))) }
        return .entry(
            key: ByteString(trimmed(line[..<sign])),
            value: ByteString(trimmed(line[line.index(after: sign)...])))
    }

    package var bytes: [UInt8] {
        groups.flatMap { group in
            let head = group.name.bytes.isEmpty ? [] : Array("[".utf8) + group.name.bytes + end("]")
            return head + group.lines.flatMap(Self.bytes)
        }
    }

    private static func bytes(of line: Line) -> [UInt8] {
        switch line {
        case .entry(let key, let value): key.bytes + Array("=".utf8) + value.bytes + end("")
        case .other(let line): line.bytes + end("")
        }
    }

    package var groupNames: [ByteString] { groups.map(\.name) }

    /// As it is written, with its escapes.
    package func value(_ key: String, in group: String) -> ByteString? {
        entries(in: group).first { $0.key == ByteString(key) }?.value
    }

    package func entries(in group: String) -> [(key: ByteString, value: ByteString)] {
        groups.filter { $0.name == ByteString(group) }.flatMap(\.lines).compactMap { line in
            if case .entry(let key, let value) = line { (key, value) } else { nil }
        }
    }

    /// `change`: the new value of each entry; nil to remove it.
    package mutating func change(
        in group: ByteString, _ change: (_ key: ByteString, _ value: ByteString) -> ByteString?
    ) {
        for number in groups.indices where groups[number].name == group {
            groups[number].lines = groups[number].lines.compactMap { line in
                guard case .entry(let key, let value) = line else { return line }
                return change(key, value).map { .entry(key: key, value: $0) }
            }
        }
    }

    /// Replaces the value, or adds the key, and the group if need be. Nil removes the key.
    package mutating func set(_ key: String, to value: ByteString?, in group: String) {
        let key = ByteString(key)
        let group = ByteString(group)
        var isThere = false
        change(in: group) { one, old in
            guard one == key else { return old }
            // Of a key that is there twice, one is enough.
            defer { isThere = true }
            return isThere ? nil : value
        }
        guard !isThere, let value else { return }
        let number = groups.firstIndex { $0.name == group } ?? add(group)
        let last = groups[number].lines.lastIndex { $0 != .other(ByteString("")) } ?? -1
        groups[number].lines.insert(.entry(key: key, value: value), at: last + 1)
    }

    private mutating func add(_ group: ByteString) -> Int {
        let isFirst = groups.count == 1 && groups[0].lines.isEmpty
        if !isFirst { groups[groups.count - 1].lines.append(.other(ByteString(""))) }
        groups.append(Group(name: group))
        return groups.count - 1
    }
}

private func end(_ text: String) -> [UInt8] { Array("\(text)\n".utf8) }

private func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8] {
    let blanks = Array(" \t\r".utf8)
    var rest = text
    while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
    while let last = rest.last, blanks.contains(last) { rest.removeLast() }
    return Array(rest)
}
