// Who asks, as the kernel tells it.

internal import CShims
internal import Glibc
internal import MAMSystem

/// The caller of one request: a thread, with the user and group that it acts as.
struct Caller: Sendable {
    let thread: Int32
    let user: UInt32
    let group: UInt32

    private static let daemonUser = geteuid()

    /// Runs a creating call so that what it makes belongs to the caller. Only root can do that for others;
    /// a user's own daemon serves its user alone.
    func creating<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
        guard Self.daemonUser == 0, user != 0 || group != 0 else { return try body() }
        defer { mam_act_as_self() }
        guard mam_act_as(user, group) == 0 else { throw Errno.current }
        return try body()
    }
}
