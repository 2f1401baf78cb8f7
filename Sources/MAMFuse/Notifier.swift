// Telling the kernel to drop what it has cached.

internal import CFuse3
internal import Glibc
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace
internal import Synchronization

/// The session to notify through, while there is one.
final class Notifier: Sendable {
    /// libfuse's notify functions may be called from any thread but a request's.
    private struct Session: @unchecked Sendable { let raw: OpaquePointer }

    private let session = Mutex<Session?>(nil)
    /// Shared while a notification, or a reply from elsewhere, is under way; alone when the session goes, which must not happen under one.
    private let life = ReadWriteLock()

    func attach(_ raw: OpaquePointer) {
        let new = Session(raw: raw)
        session.withLock { $0 = new }
    }

    /// False if a notification is under way that does not end: the session must then stay.
    func detach(until deadline: Deadline) -> Bool {
        life.exclusive(until: deadline) { session.withLock { $0 = nil } } != nil
    }

    /// For who replies from a thread of his own: the session stays meanwhile. Nothing is done when it has gone.
    func whileAttached(_ body: () -> Void) {
        life.shared {
            if session.withLock({ $0 != nil }) { body() }
        }
    }

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

    /// Asks it to forget inodes that nobody uses; false if it does not know how.
    func prune(_ nodes: [UInt64]) -> Bool {
        var isKnown = false
        notify { isKnown = mam_prune($0, nodes, UInt32(nodes.count)) == 0 }
        return isKnown
    }

    /// Drops one name, so that the next look-up finds what is there now.
    func invalidate(_ name: Name, in parent: UInt64) {
        notify { fuse_lowlevel_notify_inval_entry($0, parent, name, strlen(name)) }
    }
}
