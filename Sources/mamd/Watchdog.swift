// systemd's watchdog: it hears of us for as long as requests are answered.

import Glibc
import MAMControl
import MAMFuse
import MAMSystem
import MAMVault

/// Nothing if systemd does not ask for it.
///
/// No request is made to our own mount: a daemon that waits for itself would hang for good. Instead
/// the locks are taken that every request takes; with one that is never given back, this thread
/// stops too.
func startWatchdog(
    _ session: MountSession, _ server: VarlinkServer, _ vault: Vault
) throws(Errno) {
    guard let interval = watchdogMicroseconds() else { return }
    try startThread(named: "watchdog") {
        var check = ProgressCheck()
        while true {
            server.waitUntilFree()
            _ = Accounts(vault).all
            if check.hasProgress(session.loopProgress) || waitsForDisk() {
                notifyServiceManager("WATCHDOG=1")
            }
            // Two in three may be late, or find a moment in which nothing moves.
            usleep(UInt32(clamping: interval / 3))
        }
    }
}

/// A thread that serves waits for what is below the backing directory: it is the disk that does not
/// answer. No kill would repair that, and what is not on the disk yet would be lost.
private func waitsForDisk() -> Bool {
    let threads = (try? entries(of: ByteString("/proc/self/task"))) ?? []
    return threads.compactMap { Int32($0.shown) }.contains { thread in
        guard !waitsForMount(thread) else { return false }
        return ProcessStatus(of: thread)?.isUninterruptible ?? false
            || waitsForOtherFileSystem(thread)
    }
}

/// Those that purge or search wait for the kernel, which waits for the threads that serve; those of
/// clients for what they were given.
private func waitsForMount(_ thread: Int32) -> Bool {
    let name = (try? readSmallFile("/proc/self/task/\(thread)/comm", maximumByteCount: 64)) ?? []
    return ["purge", "seek", "control-client", "evictor"].contains {
        name.starts(with: $0.utf8)
    }
}

/// The kernel waits for the program behind another file system of FUSE's; a signal could interrupt
/// that as a rule, but not at a close(2).
func waitsForOtherFileSystem(_ thread: Int32) -> Bool {
    waitChannel(ofThread: thread) == "request_wait_answer"
}
