// Telling the kernel to drop what it has cached.

internal import CFuse3
internal import Glibc
package import MAMFormat
internal import MAMSystem
internal import MAMVault
internal import Synchronization

/// The session to notify through, while there is one.
final class Notifier: Sendable {
    /// libfuse's notify functions may be called from any thread but a request's.
    private struct Session: @unchecked Sendable { let raw: OpaquePointer }

    private let session = Mutex<Session?>(nil)
    /// Shared while a notification is under way; alone when the session goes, which must not happen under one.
    private let life = ReadWriteLock()

    func attach(_ raw: OpaquePointer) {
        let new = Session(raw: raw)
        session.withLock { $0 = new }
    }

    func detach() { life.exclusive { session.withLock { $0 = nil } } }

    private func notify(_ call: (OpaquePointer) -> Void) {
        life.shared {
            if let raw = session.withLock({ $0?.raw }) { call(raw) }
        }
    }

    /// Writes back and drops the pages and attributes of one inode. Blocks until our own threads have
    /// taken the writes, so the caller must hold no lock that a request needs.
    func invalidate(_ node: UInt64) {
        notify { fuse_lowlevel_notify_inval_inode($0, node, 0, 0) }
    }

    /// Drops one name, so that the next look-up finds what is there now.
    func invalidate(_ name: Name, in parent: UInt64) {
        notify { fuse_lowlevel_notify_inval_entry($0, parent, name, strlen(name)) }
    }
}

extension FileSystem: CachePurger {
    package func purge(_ isAffected: @Sendable (FileHeader, _ isOpen: Bool) -> Bool) {
        var affected: [Inode] = []
        for inode in table.all where inode.isRegular {
            guard let header = inode.header, isAffected(header, inode.openFile != nil) else {
                continue
            }
            notifier.invalidate(inode.node)
            affected.append(inode)
        }
        // A write(2) that had passed the kernel's check before the first pass ends in the cache after it.
        guard affected.contains(where: { $0.openFile != nil }) else { return }
        usleep(CachePurgePause.microseconds)
        for inode in affected where inode.openFile != nil { notifier.invalidate(inode.node) }
    }

    /// Takes no new writes, and has everything written back that the kernel has not sent yet: before the
    /// daemon ends.
    package func writeBack() {
        beginStopping()
        for _ in 0..<2 {
            for inode in table.all where inode.openFile != nil { notifier.invalidate(inode.node) }
            usleep(CachePurgePause.microseconds)
        }
    }

    func attach(_ session: OpaquePointer) throws(Errno) {
        notifier.attach(session)
        try evictor.start(self)
    }

    func detach() { notifier.detach() }
}

/// How long a system call that writes from memory that is there may take.
private enum CachePurgePause {
    static let microseconds: UInt32 = 3000
}
