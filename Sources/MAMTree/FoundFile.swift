// The file at a name of the backing directory.

package import Glibc
package import MAMModel
package import MAMSystem

/// A name from the kernel: bytes, terminated by a zero.
package typealias Name = UnsafePointer<CChar>

/// An open file and its status.
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
    /// `mayBeRead`: it was a regular file when last looked at. It is then opened for reading if
    /// possible, because its header is read next, and a reader needs no other descriptor.
    /// Everything else is opened with `O_PATH`: opening a FIFO or a device could have side effects.
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

    /// Nil if it is not a regular file any more, is on another file system, or may not be opened. A
    /// daemon that does not own the file cannot read it without updating its access time.
    private static func openToRead(_ name: Name, in directory: Descriptor) -> FoundFile? {
        guard let file = openWhatMayBeRead(name, in: directory) else { return nil }
        return FoundFile(opened: file)
    }

    /// Nil unless it is a regular file.
    package init?(opened file: Descriptor) {
        guard let status = try? MAMSystem.status(of: file.raw), status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(handle: file, status: status, mayRead: true)
    }
}

/// Opens what should be a regular file for reading; another file may have taken the name.
package func openWhatMayBeRead(_ name: Name, in directory: Descriptor) -> Descriptor? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | openWithoutAccessTime
    return try? openBeneath(directory.raw, name, flags)
}
