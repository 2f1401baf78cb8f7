// The caller of a request, as reported by the kernel.

internal import CShims
package import Glibc
package import MAMModel
package import MAMSystem

/// A thread, with the user and group that it acts as.
package struct Caller: Sendable {
    package let thread: Int32
    package let user: UInt32
    package let group: UInt32
    /// Set for requests that create something with a mode, else 0.
    package let umask: UInt32

    package init(thread: Int32, user: UInt32, group: UInt32, umask: UInt32) {
        self.thread = thread
        self.user = user
        self.group = group
        self.umask = umask
    }

    /// By its groups; false if they cannot be read.
    package func isMember(of other: gid_t) -> Bool {
        group == other || supplementaryGroups(ofThread: thread).contains(other)
    }

    /// In its own user namespace. Who cannot be looked at has what its user has.
    package func has(_ capability: Capability) -> Bool {
        effectiveCapabilities(ofThread: thread).map { $0 & capability.bit != 0 } ?? (user == 0)
    }

    /// As `capable()` asks in the kernel.
    package func hasInFirstNamespace(_ capability: Capability) -> Bool {
        has(capability) && isInFirstUserNamespace(thread: thread)
    }

    private static let daemonUser = geteuid()

    /// Runs a creating call so that the new file belongs to the caller, and the backing file system
    /// applies the caller's umask or the directory's default ACL to the mode. Only root can create
    /// files for others; a user's own daemon serves only that user.
    package func creating<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
        // Otherwise it stays for the next caller, who likely has the same. The daemon's own files,
        // which this thread may make too, give rights to nobody but their owner.
        defer { if umask & S_IRWXU != 0 { mam_set_thread_umask(0) } }
        guard mam_set_thread_umask(umask) == 0 else { throw Errno.current }
        guard Self.daemonUser == 0, user != 0 || group != 0 else { return try body() }
        defer { mam_act_as_self() }
        guard mam_act_as(user, group) == 0 else { throw Errno.current }
        return try body()
    }
}
