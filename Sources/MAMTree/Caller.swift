// Who asks, as the kernel tells it.

internal import CShims
package import Glibc
package import MAMSystem

/// The caller of one request: a thread, with the user and group that it acts as.
package struct Caller: Sendable {
    package let thread: Int32
    package let user: UInt32
    package let group: UInt32
    /// Of requests that make something with a mode; 0 in others.
    package let umask: UInt32

    package init(thread: Int32, user: UInt32, group: UInt32, umask: UInt32) {
        self.thread = thread
        self.user = user
        self.group = group
        self.umask = umask
    }

    /// By its groups; false where they cannot be read.
    package func isMember(of other: gid_t) -> Bool {
        group == other || supplementaryGroups(ofThread: thread).contains(other)
    }

    private static let daemonUser = geteuid()

    /// Runs a creating call so that what it makes belongs to the caller, and its mode is what the
    /// caller's umask or the directory's default access control list makes of it: the backing file
    /// system knows which. Only root can make something for others; a user's own daemon serves its
    /// user alone.
    package func creating<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
        defer { mam_set_thread_umask(0) }
        guard mam_set_thread_umask(umask) == 0 else { throw Errno.current }
        guard Self.daemonUser == 0, user != 0 || group != 0 else { return try body() }
        defer { mam_act_as_self() }
        guard mam_act_as(user, group) == 0 else { throw Errno.current }
        return try body()
    }
}
