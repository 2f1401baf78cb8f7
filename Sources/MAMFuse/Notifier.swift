// Telling the kernel to drop what it has cached.

internal import CFuse3
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// The session to notify through, while there is one.
final class Notifier: Sendable {
    /// libfuse's notify functions may be called from any thread but a request's.
    private struct Session: @unchecked Sendable { let raw: OpaquePointer }

    private let session = Mutex<Session?>(nil)
    /// Shared during a notification or a reply of another thread; exclusive to end the session.
    private let life = ReadWriteLock()

    func attach(_ raw: OpaquePointer) {
        let new = Session(raw: raw)
        session.withLock { $0 = new }
    }

    /// False if a notification hangs: the session must then stay.
    func detach(until deadline: Deadline) -> Bool {
        life.exclusive(until: deadline) { session.withLock { $0 = nil } } != nil
    }

    /// For replies of other threads: the session stays during `body`, which does not run if it has
    /// ended.
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

    func invalidate(_ node: UInt64) {
        notify { fuse_lowlevel_notify_inval_inode($0, node, 0, 0) }
    }

    func prune(_ nodes: [UInt64]) -> Bool {
        var isKnown = false
        notify { isKnown = mam_prune($0, nodes, UInt32(nodes.count)) == 0 }
        return isKnown
    }

    func invalidate(_ name: Name, in parent: UInt64) {
        notify { fuse_lowlevel_notify_inval_entry($0, parent, name, strlen(name)) }
    }
}
