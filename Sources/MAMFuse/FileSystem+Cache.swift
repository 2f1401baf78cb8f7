// Having the kernel's cache written back and dropped.

internal import CFuse3
internal import Glibc
package import MAMFormat
package import MAMSystem
package import MAMVault

extension FileSystem: VaultMount {
    package func purge(
        until deadline: Deadline,
        _ isAffected: @escaping @Sendable (FileHeader?, _ isOpen: Bool) -> Bool
    ) -> [Straggler] {
        let purge = CachePurge(regularFiles, of: self, until: deadline) { inode in
            isAffected(inode.header, inode.openFile != nil)
        }
        return purge.run().map(straggler)
    }

    private var regularFiles: [Inode] { table.all.filter(\.isRegular) }

    private func straggler(_ inode: Inode) -> Straggler {
        let path = mountedPath(of: inode)
        return Straggler(
            path: path ?? ByteString("inode \(inode.id.inode)"),
            processes: path.map { processes(holding: $0) } ?? [])
    }

    /// Takes no new writes, and has everything written back that the kernel has not sent yet: before the
    /// daemon ends. Returns what is in the way of that at the deadline.
    package func writeBack(until deadline: Deadline) -> [Straggler] {
        beginStopping()
        return purge(until: deadline) { _, isOpen in isOpen }
    }

    func attach(_ session: OpaquePointer) throws(Errno) {
        notifier.attach(session)
        try evictor.start(self)
    }

    /// False if the session must stay.
    func detach() -> Bool { notifier.detach(until: Deadline(seconds: 5)) }
}
