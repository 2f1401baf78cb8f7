// What stands at a name of the backing directory.

package import Glibc
package import MAMSystem

/// A name that the kernel sent: bytes, ended by a zero.
package typealias Name = UnsafePointer<CChar>

/// A descriptor of it, and its status once that was open.
package struct FoundFile {
    package let handle: Descriptor
    package let status: stat
    /// False for an `O_PATH` descriptor.
    package let mayRead: Bool

    package init(handle: Descriptor, status: stat, mayRead: Bool) {
        self.handle = handle
        self.status = status
        self.mayRead = mayRead
    }
}

extension FoundFile {
    /// `mayBeRead`: it was a regular file when it was last looked at. It is opened to be read then,
    /// if it can be: its header is looked at next, and who opens it to read needs nothing else. All
    /// else is opened with `O_PATH`: a FIFO's other end would feel more, and so may a device.
    package init(
        _ name: Name, in directory: Descriptor, mayBeRead: Bool
    ) throws(Errno) {
        if mayBeRead, let file = Self.openToRead(name, in: directory) {
            self = file
            return
        }
        let handle = try openFile(at: directory.raw, name, openPathOnly | O_NOFOLLOW)
        self.init(
            handle: handle, status: try MAMSystem.status(at: handle.raw, ""), mayRead: false)
    }

    /// Nil if it is none any more, on another file system, or the daemon may not. One that is not
    /// its owner may not do it without moving the access time.
    private static func openToRead(_ name: Name, in directory: Descriptor) -> FoundFile? {
        guard let file = openWhatMayBeRead(name, in: directory) else { return nil }
        return FoundFile(opened: file)
    }

    /// Nil if it is no regular file.
    package init?(opened file: Descriptor) {
        guard let status = try? MAMSystem.status(of: file.raw), status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(handle: file, status: status, mayRead: true)
    }
}

/// Opens a regular file to be read; something else may have come to that name.
package func openWhatMayBeRead(_ name: Name, in directory: Descriptor) -> Descriptor? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | openWithoutAccessTime
    return try? openBeneath(directory.raw, name, flags)
}
