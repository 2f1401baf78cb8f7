// Refuses writes from inside the kernel's own lock on the file.
//
// With the write-back cache, write(2) ends in the kernel: the daemon sees no WRITE request before
// the call returns. The requests before that are not enough. GETATTR precedes the inode's lock, so
// a writer may have its answer, wait for that lock while a whole window closes, and then write
// into the cache for a key that is gone.
//
// But while it holds the inode's lock, the kernel asks whether the file has capabilities that the
// write must remove: file_remove_privs() sends GETXATTR for `security.capability`, notify_change()
// sends it again, and then REMOVEXATTR, whose error becomes the write's. So for a file that must
// not be written the daemon pretends that it has capabilities, and refuses to remove them.
//
// A round trip per write(2) would be expensive. The kernel caches that there are none (S_NOSEC),
// because the daemon clears set-id bits itself (FUSE_HANDLE_KILLPRIV_V2), until a program is about
// to set such a bit: then it asks again. So a lock does that, under the inode's lock (see
// CacheProbe.waitForWriters); from then on the daemon never gives an answer that would be cached.
//
// Other calls share part of this path:
//
// - truncate(2) takes all of it, and is refused here instead of at its SETATTR;
// - open(2) with O_TRUNC takes all of it unless the answer is cached, but after the OPEN in which
//   the daemon truncated the file: it must succeed;
// - chown(2) sends GETXATTR once, and must work while a window is closed.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// The capability requests of one inode's callers. Guarded by the inode's state lock.
package struct WriteGuard {
    /// sizeof(struct vfs_ns_cap_data): the length of a capability attribute.
    package static let attributeByteCount = 20

    /// How often each thread was told of capabilities since it last removed them. The kernel's
    /// inode lock serialises writers, but not programs that only read the attribute.
    private var questions: [Int32: Int] = [:]
    /// Entries were dropped, possibly of a thread in the middle of a write: every removal now
    /// counts as a write. Refusing a chown(2) by mistake is the lesser harm.
    private var hasForgotten = false
    /// The limit on remembered threads; programs may read the attribute and never remove it.
    private static let limit = 64
    /// The threads whose open(2) has truncated the file, with the deadline for their request.
    private var truncations: [Int32: Deadline] = [:]
    /// From the cut to the request that follows. A request that comes later fails the open(2) of a
    /// file that is empty by then, so a very busy machine has to keep it. A lock waits as long for
    /// those that hold the file and were never going to ask.
    private static let truncationMilliseconds = 1000

    package init() {}

    package mutating func noteTruncation(by thread: Int32) {
        truncations = truncations.filter { !$0.value.hasPassed }
        truncations[thread] = Deadline(milliseconds: Self.truncationMilliseconds)
    }

    /// True for the request that follows a truncating OPEN.
    package mutating func endsTruncation(of thread: Int32) -> Bool {
        truncations.removeValue(forKey: thread).map { !$0.hasPassed } ?? false
    }

    /// No handle is open, and so none is being opened.
    package mutating func allAreClosed() { truncations = [:] }

    /// True if a write's request could be taken for the one after a truncating OPEN.
    package var hasTruncations: Bool { truncations.contains { !$0.value.hasPassed } }

    /// The window is open: nothing has to be refused now.
    package mutating func windowIsOpen() { hasForgotten = false }

    /// Records that the thread was told of capabilities.
    package mutating func notePretence(to thread: Int32) {
        if questions.count > Self.limit {
            questions = [:]
            hasForgotten = true
        }
        questions[thread, default: 0] += 1
    }

    package enum Removal {
        /// Of a real attribute.
        case genuine
        /// Of the pretended attribute.
        case changingOwner, writing
    }

    /// Why the thread removes the capabilities.
    package mutating func removal(by thread: Int32) -> Removal {
        let count = questions.removeValue(forKey: thread)
        // Thread 0 stands for all threads in process ID namespaces that are not visible from here.
        if hasForgotten || thread == 0 { return .writing }
        guard let count else { return .genuine }
        return count == 1 ? .changingOwner : .writing
    }
}

extension WriteGuard {
    /// Nothing is remembered, so the value can be discarded.
    package var isIdle: Bool { questions.isEmpty && !hasForgotten && !hasTruncations }
}
