// The end of a daemon of whose threads some cannot end.
//
// A client may pass a file of a file system of its own that does not answer. Its close(2) then
// waits for good, and no signal ends that, SIGKILL neither: the process stays, with its locks, for
// as long as that file system does. The next daemon must not wait for it.

import CShims
import Glibc
import MAMSystem

/// Gives locks back before the process ends, if what is left of it cannot touch what they stand
/// for: it waits for file systems of others. Where something else is still under way, a slow disk's
/// write say, they stay until that is done.
func letGo(of locks: [Descriptor]) {
    guard isHeldElsewhere, !locks.contains(where: liesOnFUSE) else { return }
    for lock in locks { flock(lock.raw, LOCK_UN) }
}

/// The last thing that this process does: none of its other threads comes to anything new.
private var isHeldElsewhere: Bool {
    let own = mam_thread_id()
    let threads = ((try? entries(of: ByteString("/proc/self/task"))) ?? [])
        .compactMap { Int32($0.shown) }.filter { $0 != own }
    let held = threads.filter(waitsForOtherFileSystem)
    return !held.isEmpty
        && threads.allSatisfy { thread in
            guard !held.contains(thread), let status = ProcessStatus(of: thread) else {
                return true
            }
            return status.isWaiting && !status.isUninterruptible
        }
}

private func liesOnFUSE(_ lock: Descriptor) -> Bool {
    withExtendedLifetime(lock) {
        let kind = try? withProcPath(of: lock.raw) { path throws(Errno) in
            try FileSystemKind(at: ByteString(cString: path))
        }
        return kind?.isFUSE ?? true
    }
}
