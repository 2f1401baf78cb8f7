// systemd's watchdog: notified while requests are being answered.

import Glibc
import MAMControl
import MAMFuse
import MAMModel
import MAMService
import MAMSystem
import MAMVault

/// Does nothing if systemd has no watchdog for the unit.
///
/// Makes no request to the daemon's own mount, because a daemon that waits for itself would hang
/// forever. Instead takes the locks that every request takes: if one is never released, this thread
/// hangs too.
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
            // At a third of the interval, two notifications may be late or find no progress.
            usleep(UInt32(clamping: interval / 3))
        }
    }
}

/// True if a thread waits for the backing file system: the disk does not respond. Killing
/// the daemon would not help, and would lose unwritten data.
private func waitsForDisk() -> Bool {
    let threads = (try? entries(of: ByteString("/proc/self/task"))) ?? []
    return threads.compactMap { Int32($0.shown) }.contains { thread in
        guard !waitsForMount(thread) else { return false }
        return ProcessStatus(of: thread)?.isUninterruptible ?? false
            || waitsForOtherFileSystem(thread)
    }
}

/// Threads that purge or search wait for the kernel, which waits for serving threads; clients'
/// threads wait for the files that clients passed.
private func waitsForMount(_ thread: Int32) -> Bool {
    let name = (try? readSmallFile("/proc/self/task/\(thread)/comm", maximumByteCount: 64)) ?? []
    return ["purge", "seek", "control-client", "evictor"].contains {
        name.starts(with: $0.utf8)
    }
}

/// The kernel waits for another FUSE file system's daemon. A signal usually interrupts that, but
/// not in close(2).
func waitsForOtherFileSystem(_ thread: Int32) -> Bool {
    waitChannel(ofThread: thread) == "request_wait_answer"
}
