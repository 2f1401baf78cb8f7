// Types of files by their names, and how types are related.
// https://specifications.freedesktop.org/shared-mime-info-spec/latest/

internal import Glibc
package import MAMModel
internal import MAMSystem

/// What the directories `mime` know.
package struct MediaTypes: Sendable {
    private let directories: [ByteString]
    /// The largest database is smaller by far.
    private static let maximumByteCount = 16 << 20

    package init(in places: DesktopPlaces) {
        directories = places.allData.map { $0.appending("mime") }
    }

    /// The type of the heaviest pattern that fits, of those the longest; nil if none does.
    package func type(ofFileNamed name: ByteString) -> ByteString? {
        let lowered = ByteString(name.bytes.map { UInt8(truncatingIfNeeded: tolower(Int32($0))) })
        let patterns = directories.flatMap { lines($0.appending("globs2")) }
            .compactMap(NamePattern.init)
        let exact = patterns.filter { $0.fits(name) }
        let found =
            exact.isEmpty ? patterns.filter { !$0.isCaseSensitive && $0.fits(lowered) } : exact
        return found.max { $0.rank < $1.rank }?.type
    }

    /// The type itself, its other names, then the types that it is a kind of, nearest first.
    package func kinds(of type: ByteString) -> [ByteString] {
        let aliases = pairs("aliases")
        let parents = pairs("subclasses")
        var found = [type]
        var next = 0
        while next < found.count {
            let one = found[next]
            let names =
                aliases.filter { $0.second == one }.map(\.first)
                + aliases.filter { $0.first == one }.map(\.second)
            let more = names + parents.filter { $0.first == one }.map(\.second)
            for other in more where !found.contains(other) { found.append(other) }
            next += 1
        }
        let plain = ByteString("text/plain")
        let isText = type.bytes.starts(with: "text/".utf8)
        return isText && !found.contains(plain) ? found + [plain] : found
    }

    private func pairs(_ file: String) -> [(first: ByteString, second: ByteString)] {
        directories.flatMap { lines($0.appending(file)) }.compactMap { line in
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.count == 2 else { return nil }
            return (ByteString(Array(parts[0])), ByteString(Array(parts[1])))
        }
    }

    private func lines(_ path: ByteString) -> [ArraySlice<UInt8>] {
        let bytes = try? readSmallFile(path.cString, maximumByteCount: Self.maximumByteCount)
        return (bytes ?? []).split(separator: UInt8(ascii: "\n"))
    }
}

/// A line of globs2: `50:application/pdf:*.pdf`, with flags behind it at times.
private struct NamePattern {
    let type: ByteString
    let isCaseSensitive: Bool
    private let pattern: ByteString
    private let weight: Int

    init?(_ line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: ":")).map { ByteString(Array($0)) }
        guard parts.count >= 3, let weight = parts[0].text.flatMap({ Int($0) }) else { return nil }
        (self.weight, type, pattern) = (weight, parts[1], parts[2])
        let flags = parts.count > 3 ? parts[3].bytes.split(separator: UInt8(ascii: ",")) : []
        isCaseSensitive = flags.contains { $0.elementsEqual("cs".utf8) }
    }

    var rank: (Int, Int) { (weight, pattern.bytes.count) }

    func fits(_ name: ByteString) -> Bool { fnmatch(pattern.cString, name.cString, 0) == 0 }
}
