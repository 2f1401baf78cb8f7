// What time brings: one thread that waits for it.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMPolicy
package import MAMSystem
internal import Synchronization

extension Vault {
    /// Probes are asked so often.
    private static let launchSeconds: Int64 = 3600

    /// What has to hold before anything is served: what time brought while no daemon ran, a
    /// check-in, for the policies were just read, and the conditions. `isReadOnly`: the mount is
    /// going to be, and no file could be removed.
    package func startEnrollment(isReadOnly: Bool = false) {
        enrollments.removesNothing.store(isReadOnly, ordering: .sequentiallyConsistent)
        passTime()
        if settings.hooks.checkIn == nil { checkIn() }
        checkLaunchOfAll()
    }

    /// True where accounts are more than looked at.
    var isEnrolling: Bool { enrollments.source.withLock { $0 != nil } }

    /// Starts the threads.
    package func startTimers() throws(Errno) {
        try startIdleLocks()
        try startThread(named: "timers") { [weak self] in
            // The start has looked.
            let start = self?.clock.now.secondsSinceBoot ?? 0
            var (lastLook, lastPoll) = (start, start)
            while true {
                guard let self else { return }
                let now = self.clock.now.secondsSinceBoot
                let poll = Int64(self.settings.wipePollSeconds)
                if now - lastLook >= Self.launchSeconds {
                    lastLook = now
                    self.checkLaunchOfAll()
                }
                if now - lastPoll >= poll {
                    lastPoll = now
                    self.lookForOrders()
                }
                let next = [
                    self.passTime(), Self.launchSeconds - now + lastLook, poll - now + lastPoll,
                ]
                self.enrollments.wakeUp.wait(atMostSeconds: max(1, next.min() ?? 1))
            }
        }
    }

    /// Does what is due; the seconds until something is again.
    @discardableResult
    package func passTime() -> Int64 {
        var isCheckInDue = false
        for account in keyring.accounts {
            let (facts, now) = (facts(of: account), clock.now)
            let actions = enrollments.change(account) { record in
                record.step(.time, facts, at: now) + record.due(facts)
            }
            isCheckInDue = isCheckInDue || actions?.contains(.checkIn) == true
            settle(account)
        }
        if isCheckInDue { checkIn() }
        let next = keyring.accounts.compactMap { account in
            enrollments.record(of: account)?.secondsToNext(facts(of: account))
        }
        return next.min() ?? Self.launchSeconds
    }

    /// Moves the clock forward, for trials, and does what that makes due before it returns.
    package func advanceClock(bySeconds seconds: Int64) {
        log.warning("debug settings: the clock is \(seconds) s further from now on")
        clock.advance(bySeconds: seconds)
        passTime()
        checkLaunchOfAll()
        lockIdle()
    }
}
