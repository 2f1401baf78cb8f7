// Files that obstruct a lock.

package import MAMModel
package import MAMSystem

/// A file whose pages a lock could not get out of the kernel's cache.
package struct BlockingFile: Sendable {
    /// The path in the mount.
    package let path: ByteString
    /// The processes that have it open or mapped, as far as the daemon can see them.
    package let processes: [ProcessName]

    package init(path: ByteString, processes: [ProcessName]) {
        self.path = path
        self.processes = processes
    }
}

extension BlockingFile: CustomStringConvertible {
    package var description: String {
        let users = processes.map(\.description).joined(separator: ", ")
        return
            "\(path.shown) is being written or read by"
            + " \(users.isEmpty ? "a process that is not visible" : users)"
    }
}
