// All desktop entries that a user has.

internal import Glibc
package import MAMModel
internal import MAMSystem

/// The entries by their names. One in an earlier directory hides those of the same name.
package struct DesktopEntries: Sendable {
    /// The first of a name counts.
    private var paths: [ByteString: [ByteString]] = [:]
    private static let suffix = Array(".desktop".utf8)
    /// More than any entry has.
    private static let maximumByteCount = 1 << 20

    package init(in places: DesktopPlaces) {
        for directory in places.allData {
            collect(directory.appending("applications"), prefix: [], depth: 0)
        }
    }

    /// A subdirectory's name is a part of the names of its entries: `kde/one.desktop` is `kde-one`.
    private mutating func collect(_ directory: ByteString, prefix: [UInt8], depth: Int) {
        guard depth < 5, let names = try? entries(of: directory) else { return }
        for name in names {
            let path = directory.appending(name)
            if let id = Self.id(ofFile: name) {
                let whole = ByteString(prefix + id.bytes)
                paths[whole, default: []].append(path)
            } else if let found = try? status(
                at: workingDirectory, path.cString, followLinks: true),
                found.st_mode & S_IFMT == S_IFDIR
            {
                let longer = prefix + name.bytes + Array("-".utf8)
                collect(path, prefix: longer, depth: depth + 1)
            }
        }
    }

    /// The name without `.desktop`; nil if it does not end so.
    package static func id(ofFile name: ByteString) -> ByteString? {
        guard name.bytes.suffix(suffix.count) == suffix[...] else { return nil }
        return ByteString(name.bytes.dropLast(suffix.count))
    }

    package var ids: [ByteString] {
        paths.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    /// Nil if there is none, or it cannot be read.
    package func entry(_ id: ByteString) -> DesktopEntry? {
        paths[id]?.first.flatMap { Self.entry(id, at: $0) }
    }

    /// The entry that counts where no launcher hides it; nil if there is none.
    package func ordinary(_ id: ByteString) -> DesktopEntry? {
        paths[id]?.lazy.compactMap { Self.entry(id, at: $0) }.first { Launcher($0) == nil }
    }

    package var all: [DesktopEntry] { ids.compactMap(entry) }

    /// All entries that can be started.
    package var programs: [DesktopEntry] { all.filter { $0.isProgram && $0.isInstalled } }

    /// The same without launchers, and what those hide.
    package var ordinaryPrograms: [DesktopEntry] {
        ids.compactMap(ordinary).filter { $0.isProgram && $0.isInstalled }
    }

    package static func entry(_ id: ByteString, at path: ByteString) -> DesktopEntry? {
        let bytes = try? readSmallFile(path.cString, maximumByteCount: maximumByteCount)
        return bytes.map { DesktopEntry(id: id, path: path, file: KeyFile(parsing: $0)) }
    }
}
