// What the vault asks of the mount. The mount implements it; the vault knows nothing of FUSE.

package import MAMFormat
package import MAMSystem

/// The mounted side of the vault's files.
package protocol VaultMount: Sendable {
    /// Has everything written back that the kernel has cached of files for which `isAffected` holds, and drops it.
    ///
    /// Returns when nothing is left, or at the deadline: then with the numbers of the files that are still in the
    /// way. Never call this from a thread that serves the mount.
    func purge(
        until deadline: Deadline,
        _ isAffected: @escaping @Sendable (FileHeader?, _ isOpen: Bool) -> Bool
    ) -> [UInt64]

    /// What these files are and who uses them. Takes its time: every process is looked at.
    func stragglers(_ nodes: [UInt64]) -> [Straggler]

    /// Walks the whole tree and has every file's class updated. False if `isWanted` ended it, or if files
    /// were left out.
    func updateClasses(while isWanted: @Sendable () -> Bool) -> Bool
}

/// A file that a lock could not get the kernel's cached content of.
package struct Straggler: Sendable {
    /// Where it is in the mount.
    package let path: ByteString
    /// The processes that have it open or mapped, as far as the daemon may see them.
    package let processes: [ProcessName]

    package init(path: ByteString, processes: [ProcessName]) {
        self.path = path
        self.processes = processes
    }
}

extension Straggler: CustomStringConvertible {
    package var description: String {
        let users = processes.map(\.description).joined(separator: ", ")
        return
            "\(path.shown) is being written or read by \(users.isEmpty ? "a process that is not visible" : users)"
    }
}
