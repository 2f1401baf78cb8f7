// Actions due at certain times, on one thread.

internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Carries out actions that are due.
package struct Timers: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// How often the probes are run.
    private static let launchSeconds: Int64 = 3600

    /// Establishes what must hold before anything is served: actions that became due while no
    /// daemon ran, a check-in (the policies were just read), and the conditions.
    package func startEnrollment() {
        passTime()
        if vault.rules.settings.hooks.checkIn == nil { CheckIn(tree).checkIn() }
        LaunchChecks(tree).checkLaunchOfAll()
    }

    /// Starts the threads, which run until the process ends.
    package func startTimers() throws(Errno) {
        try IdleLocks(tree).startIdleLocks()
        try startThread(named: "timers") {
            // The start has already checked.
            let start = vault.clock.now.secondsSinceBoot
            var last = Looks(atConditions: start, forOrders: start)
            while true {
                let seconds = look(&last)
                vault.enrollments.dueActions.sleep(atMostSeconds: max(1, seconds))
            }
        }
    }

    /// When each periodic check last ran.
    private struct Looks {
        var atConditions: Int64
        var forOrders: Int64
    }

    /// Runs the checks that are due; returns the seconds until the next.
    private func look(_ last: inout Looks) -> Int64 {
        let now = vault.clock.now.secondsSinceBoot
        let poll = Int64(vault.rules.settings.wipePollSeconds)
        if now - last.atConditions >= Self.launchSeconds {
            last.atConditions = now
            LaunchChecks(tree).checkLaunchOfAll()
        }
        if now - last.forOrders >= poll {
            last.forOrders = now
            CheckIn(tree).lookForOrders()
        }
        return min(
            passTime(), Self.launchSeconds - now + last.atConditions,
            poll - now + last.forOrders)
    }

    /// Carries out what is due; returns the seconds until the next action.
    @discardableResult
    package func passTime() -> Int64 {
        var isCheckInDue = false
        for account in vault.keyring.accounts {
            let (facts, now) = (Accounts(vault).facts(of: account), vault.clock.now)
            let actions = vault.enrollments.change(account, saving: .later) { record in
                record.step(.time, facts, at: now) + record.due(facts)
            }
            isCheckInDue = isCheckInDue || actions?.contains(.checkIn) == true
            Enrollment(tree).settle(account)
        }
        vault.enrollments.saveChanged()
        if isCheckInDue { CheckIn(tree).checkIn() }
        let next = vault.keyring.accounts.compactMap { account in
            vault.enrollments.record(of: account)?.secondsToNext(Accounts(vault).facts(of: account))
        }
        return next.min() ?? Self.launchSeconds
    }

    /// Advances the clock, for trials, and carries out what becomes due before it returns.
    package func advanceClock(bySeconds seconds: Int64) {
        vault.log.warning("debug settings: the clock is \(seconds) s further from now on")
        vault.clock.advance(bySeconds: seconds)
        passTime()
        LaunchChecks(tree).checkLaunchOfAll()
        IdleLocks(tree).lockIdle()
    }
}
