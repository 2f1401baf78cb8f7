// The kernel's mount table.

internal import Glibc
package import MAMModel

/// One line of `/proc/self/mountinfo`. Paths are bytes.
package struct Mount: Sendable, Equatable {
    package let id: Int
    /// Of the mount that it is mounted on.
    package let parent: Int
    /// The device number of the file system, such as `0:45`.
    package let device: String
    package let mountPoint: [UInt8]
    package let type: String
    package let source: [UInt8]
    /// The options of the mount, followed by those of its file system.
    package let options: String

    package var isReadOnly: Bool {
        options == "ro" || options.hasPrefix("ro,") || options.hasPrefix("ro ")
    }

    /// True where autofs waits: at the first access it asks its daemon to mount on top.
    package var isAutomount: Bool { type == "autofs" }

    /// The file system type of mamd's mounts.
    package static let workspaceType = "fuse.mamd"
}

/// The mounts visible to this process.
package struct MountTable: Sendable {
    package let mounts: [Mount]

    /// Enough for 20,000 mounts.
    private static let maximumByteCount = 4 << 20

    /// Reads the kernel's table.
    package init() throws(Errno) {
        self.init(
            parsing: try readSmallFile(
                "/proc/self/mountinfo", maximumByteCount: Self.maximumByteCount))
    }

    /// Parses the table's text; skips lines that it cannot parse.
    package init(parsing text: [UInt8]) {
        mounts = text.split(separator: UInt8(ascii: "\n")).compactMap { Self.mount(in: $0) }
    }

    /// The mount that contains the file, which may be an `O_PATH` descriptor.
    package func mount(of descriptor: Int32) throws(Errno) -> Mount? {
        mount(try mountID(of: descriptor))
    }

    package func mount(_ id: Int) -> Mount? { mounts.first { $0.id == id } }

    /// The mount at exactly this path; of stacked mounts, the topmost.
    package func mount(at path: [UInt8]) -> Mount? { mounts.last { $0.mountPoint == path } }

    /// `36 35 98:0 /root /mount/point options [fields…] - type source options`
    private static func mount(in line: ArraySlice<UInt8>) -> Mount? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard let dash = fields.dropFirst(6).firstIndex(of: [UInt8(ascii: "-")]),
            fields.count > dash + 2, let id = Int(String(decoding: fields[0], as: UTF8.self)),
            let parent = Int(String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        return Mount(
            id: id, parent: parent, device: String(decoding: fields[2], as: UTF8.self),
            mountPoint: unescaped(fields[4]),
            type: String(decoding: fields[dash + 1], as: UTF8.self),
            source: unescaped(fields[dash + 2]),
            options: [fields[5], fields.count > dash + 3 ? fields[dash + 3] : []].map {
                String(decoding: $0, as: UTF8.self)
            }.joined(separator: " "))
    }

    /// The kernel escapes space, tab, newline, backslash and `#` as a backslash and three octal
    /// digits.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                result.append(value)
                rest = rest.dropFirst(3)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

/// The kernel reuses the ids of removed mounts.
package func mountID(of descriptor: Int32) throws(Errno) -> Int {
    try CachedFacts(of: descriptor).mountID
}
