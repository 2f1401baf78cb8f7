// Refusing a write inside the kernel's own lock on the file.
//
// With the write-back cache write(2) ends in the kernel; no WRITE request comes before its caller
// is told that all is well. What the kernel asks of us before that is not enough: GETATTR is asked
// before it takes the inode's lock, so a writer may have its answer, wait for that lock over the
// whole of ours, and then write into the cache for a key that is gone.
//
// But once it has the inode's lock it asks whether the file has capabilities that the write must
// remove: file_remove_privs() sends GETXATTR for `security.capability`, notify_change() the same
// again, and then REMOVEXATTR, whose error is the write's. So for a file that must not be written
// we say that there are some, and refuse to remove them.
//
// A round trip for each write(2) would be dear. The kernel remembers that there were none
// (S_NOSEC), because we clear set-id bits ourselves (FUSE_HANDLE_KILLPRIV_V2), until somebody is
// about to set such a bit: then it asks again. So a lock does that, in the inode's lock (see
// CacheProbe.waitForWriters); from then on the answer above is never one that it could remember.
//
// Others go a part of this way:
//
// - truncate(2) goes all of it, and is refused here instead of at its SETATTR;
// - open(2) with O_TRUNC goes all of it too, unless the kernel remembers, but after the OPEN in
//   which we have cut the file: it must succeed;
// - chown(2) sends GETXATTR once, and must work while a window is closed.

internal import Glibc
internal import MAMSystem

/// What the kernel's callers have asked of one inode's capabilities. Guarded by the inode's state.
package struct WriteGuard {
    /// sizeof(struct vfs_ns_cap_data): what a capability attribute's length would be.
    package static let attributeByteCount = 20

    /// How often each thread was told of capabilities since it last removed them. The kernel's lock
    /// keeps writers apart, but not programs that only ask.
    private var questions: [Int32: Int] = [:]
    /// Threads were forgotten, among them perhaps one in the middle of a write: from now on nobody
    /// who removes is taken for anything else. That a chown(2) is then refused is the smaller harm.
    private var hasForgotten = false
    /// Programs that ask and never remove are forgotten beyond so many.
    private static let limit = 64
    /// The threads whose open(2) has cut the file, and how long they may take to ask.
    private var truncations: [Int32: Deadline] = [:]
    /// From the answer to an OPEN to the question that follows, on a busy machine.
    private static let truncationMilliseconds = 20

    package mutating func noteTruncation(by thread: Int32) {
        truncations = truncations.filter { !$0.value.hasPassed }
        truncations[thread] = Deadline(milliseconds: Self.truncationMilliseconds)
    }

    /// True for the question that follows a truncating OPEN.
    package mutating func endsTruncation(of thread: Int32) -> Bool {
        truncations.removeValue(forKey: thread).map { !$0.hasPassed } ?? false
    }

    /// A question may still be taken for one that follows a truncating OPEN, although it is a
    /// write's.
    package var hasTruncations: Bool { truncations.contains { !$0.value.hasPassed } }

    /// Nothing needs to be refused now.
    package mutating func windowIsOpen() { hasForgotten = false }

    /// The thread is told that there are capabilities.
    package mutating func notePretence(to thread: Int32) {
        if questions.count > Self.limit {
            questions = [:]
            hasForgotten = true
        }
        questions[thread, default: 0] += 1
    }

    package enum Removal {
        /// Of what is really there.
        case genuine
        /// Of what we pretended.
        case changingOwner, writing
    }

    /// What the thread does that removes the capabilities.
    package mutating func removal(by thread: Int32) -> Removal {
        let count = questions.removeValue(forKey: thread)
        // Thread 0 is whoever lives in a process id name space that is not visible from here: all
        // of them together.
        if hasForgotten || thread == 0 { return .writing }
        guard let count else { return .genuine }
        return count == 1 ? .changingOwner : .writing
    }
}

extension WriteGuard {
    /// Nothing is remembered: a new one would do as well.
    package var isIdle: Bool { questions.isEmpty && !hasForgotten && !hasTruncations }
}
