// The end of a daemon with threads that cannot end.
//
// A client may pass a file of its own file system that never answers. close(2) of that file then
// blocks forever, even against SIGKILL: the process stays, with its locks, for as long as that file
// system does. The next daemon must not wait for it.

import CShims
import Glibc
internal import MAMModel
import MAMSystem

/// Releases locks before the process ends, if its remaining threads only wait for other file
/// systems and cannot touch what the locks protect. If anything else is in progress, such as a
/// write to a slow disk, the locks stay until it ends.
func letGo(of locks: [Descriptor]) {
    guard isHeldElsewhere, !locks.contains(where: liesOnFUSE) else { return }
    for lock in locks { flock(lock.raw, LOCK_UN) }
}

/// Called last, when the process's other threads start nothing new.
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
