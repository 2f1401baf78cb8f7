// Refusing a write inside the kernel's own lock on the file.
//
// With the write-back cache write(2) ends in the kernel; no WRITE request comes before its caller is told that all is
// well. What the kernel asks of us before that is not enough: GETATTR is asked before it takes the inode's lock, so a
// writer may have its answer, wait for that lock over the whole of ours, and then write into the cache for a key
// that is gone.
//
// But once it has the inode's lock it asks whether the file has capabilities that the write must take away:
// file_remove_privs(9) sends GETXATTR for `security.capability`, notify_change(9) the same again, and then
// REMOVEXATTR, whose error is the write's. So for a file that must not be written we say that there are some, and
// refuse to remove them. chown(2) and truncate(2) go the same way; chown sends the first request once, which tells it
// from the others: it must work while a window is closed.

internal import Glibc
internal import MAMSystem
internal import MAMVault

/// What one thread of the kernel's callers has asked of one inode. Guarded by the inode's state.
struct WriteGuard {
    /// sizeof(struct vfs_ns_cap_data): what a capability attribute's length would be.
    static let attributeByteCount = 20

    private var thread: Int32 = 0
    private var questionCount = 0

    /// The thread asked for the length of `security.capability`.
    mutating func noteQuestion(of thread: Int32) {
        questionCount = self.thread == thread ? questionCount + 1 : 1
        self.thread = thread
    }

    /// The thread removes `security.capability`: true if that is part of a write or of a change of size.
    mutating func isWriting(_ thread: Int32) -> Bool {
        defer { questionCount = 0 }
        return self.thread == thread && questionCount > 1
    }
}

extension FileSystem {
    private static let capability = "security.capability"

    func isCapability(_ name: Name) -> Bool { strcmp(name, Self.capability) == 0 }

    /// Why nothing may be written into the kernel's cache of an inode; nil if it may.
    func refusalOfWrites(to inode: Inode) -> Errno? {
        guard let file = inode.openFile else { return nil }
        if isStopping { return .notConnected }
        return file.allowsCachedWrites ? nil : .noKey
    }

    /// True if the kernel shall take it that there are capabilities to remove.
    func pretendsCapability(of inode: Inode, to thread: Int32) -> Bool {
        guard inode.isRegular, refusalOfWrites(to: inode) != nil else { return false }
        inode.withState { $0.writeGuard.noteQuestion(of: thread) }
        return true
    }

    /// Removes a file's capabilities, which may not be there; refuses that to a writer.
    func removeCapability(of inode: Inode, for thread: Int32) throws(Errno) {
        let refusal = refusalOfWrites(to: inode)
        let isWriting = inode.withState { $0.writeGuard.isWriting(thread) }
        if let refusal, isWriting { throw refusal }
        do throws(Errno) {
            try withProcPath(of: inode.handle.raw) { path throws(Errno) in
                try MAMSystem.removeExtendedAttribute(path, Self.capability)
            }
        } catch {
            // What we pretended is not there.
            guard refusal != nil, error == .noData else { throw error }
        }
    }
}
