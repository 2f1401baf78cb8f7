// systemd's watchdog: it hears of us for as long as requests are answered.

import Glibc
import MAMControl
import MAMFuse
import MAMSystem
import MAMVault

/// Nothing if systemd does not ask for it.
///
/// No request is made to our own mount: a daemon that waits for itself would hang for good. Instead the locks are taken that
/// every request takes; with one that is never given back, this thread stops too.
func startWatchdog(
    _ files: FileSystem, _ server: VarlinkServer, _ vault: Vault
) throws(Errno) {
    guard let interval = watchdogMicroseconds() else { return }
    try startThread(named: "watchdog") {
        var check = ProgressCheck()
        while true {
            server.waitUntilFree()
            _ = vault.accounts
            if check.hasProgress(files.progress) || waitsForDisk() {
                notifyServiceManager("WATCHDOG=1")
            }
            // Two in three may be late, or find a moment in which nothing moves.
            usleep(UInt32(clamping: interval / 3))
        }
    }
}

/// A thread is in uninterruptible sleep: it is the disk that does not answer. No kill would end that, and what is not on
/// the disk yet would be lost.
private func waitsForDisk() -> Bool {
    let threads = (try? entries(of: ByteString("/proc/self/task"))) ?? []
    return threads.contains { thread in
        let stat =
            (try? readSmallFile("/proc/self/task/\(thread.shown)/stat", maximumByteCount: 4096))
            ?? []
        // The command name may hold spaces and parentheses; the state follows its last one.
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")), end + 2 < stat.count else {
            return false
        }
        return stat[end + 2] == UInt8(ascii: "D")
    }
}
