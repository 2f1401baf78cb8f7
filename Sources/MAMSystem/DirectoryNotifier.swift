// Tells that something in a directory has changed.

internal import Glibc
package import MAMModel

/// inotify(7) on the directory and its parent, because the directory itself may be replaced.
package struct DirectoryNotifier: Sendable {
    /// Readable after a change.
    package let descriptor: Descriptor
    /// False if it could miss a change.
    package let seesAll: Bool

    private static let changes = UInt32(
        IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM
            | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

    package init(of directory: ByteString) throws(Errno) {
        let raw = try retrying { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) }
        descriptor = Descriptor(owning: raw)
        let watched = [directory.directory, directory].map {
            inotify_add_watch(raw, $0.cString, Self.changes)
        }
        seesAll = !watched.contains(-1)
    }

    package func clear() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while Glibc.read(descriptor.raw, &buffer, buffer.count) > 0 {}
    }
}
