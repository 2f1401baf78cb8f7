// Where tests keep their files: tests run at the same time, in one process and in several, so each
// makes its own below `TMPDIR`.

internal import Glibc
package import MAMModel
package import MAMSystem

/// Gone with the last reference, with all that is in it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// `inMemory`: for many small files that are synced, which takes a disk most of the time.
    package init(inMemory: Bool = false) throws {
        path = newPath(in: inMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporaryParent)
        guard mkdir(path, 0o700) == 0 else { throw Errno.current }
    }

    deinit {
        if let process = try? spawn(["rm", "-rf", path].map { ByteString($0) }) {
            _ = try? wait(for: process)
        }
    }

    package func path(_ name: String) -> String { "\(path)/\(name)" }

    package func open() throws(Errno) -> Descriptor {
        try openFile(path, O_RDONLY | O_DIRECTORY)
    }
}

/// An empty file; its name is gone with the last reference.
package final class TemporaryFile: Sendable {
    package let path = newPath(in: temporaryParent)
    /// For reading and writing.
    package let descriptor: Descriptor

    package init() throws(Errno) {
        descriptor = try openFile(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    }

    deinit { unlink(path) }
}

private func newPath(in parent: String) -> String {
    let number = UInt64.random(in: .min ... .max)
    return "\(parent)/mamd-test-\(String(number, radix: 36))"
}

/// `TMPDIR`, or `/tmp` if no socket's path would fit below it.
package var temporaryParent: String {
    guard let value = getenv("TMPDIR") else { return "/tmp" }
    let path = String(cString: value)
    return path.hasPrefix("/") && path.utf8.count <= longestParent ? path : "/tmp"
}

private let longestParent = 64
