// Locking accounts whose files nobody has used for a while.

internal import Glibc
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
package import MAMSystem

extension Vault {
    /// Starts the thread that looks, if the settings want it.
    ///
    /// A use is an open, a read or a write that comes to the daemon. What a program reads again from the kernel's
    /// cache does not come to it.
    package func lockWhenIdle() throws(Errno) {
        let limit = settings.idleLockSeconds
        guard limit > 0 else { return }
        try startThread(named: "idle") { [weak self] in
            var lastUse: [AccountID: Int] = [:]
            while true {
                // Late by a quarter of the limit at most, and by five seconds.
                sleep(UInt32(max(1, min(5, limit / 4))))
                guard let self else { return }
                self.lockIdle(limit, &lastUse)
            }
        }
    }

    private func lockIdle(_ limit: Int, _ lastUse: inout [AccountID: Int]) {
        for account in keyring.accounts {
            guard let windows = windows(of: account), windows.state == .unlocked else { continue }
            let now = secondsSinceBoot
            if windows.takeUse() { lastUse[account] = now }
            guard now - lastUse[account, default: now] >= limit else { continue }
            log.info("\(keyring.identity(of: account)) was not used for \(limit) s")
            lock(account, now: false)
        }
    }

    /// Time asleep counts.
    private var secondsSinceBoot: Int {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return time.tv_sec
    }
}
