import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSystem
import Testing

/// What happens to an account, and what is told of it.
@Suite struct StateTests {
    @Test func `a check-in tells a new policy from one that is as it was`() {
        var world = World()
        #expect(world.record.code == .newPolicy)
        #expect(world.checkIn(.ok, mark: "one") == [.report(.newPolicy, nil)])
        #expect(world.checkIn(.ok, mark: "one") == [.report(.policyUnchanged, nil)])
        #expect(world.checkIn(.ok, mark: "two") == [.report(.newPolicy, nil)])
        world.isCovered = false
        #expect(world.checkIn(.ok, mark: "none") == [.report(.noPolicy, nil)])
        #expect(world.record.stage == .registered)
        world.isCovered = true
        #expect(world.checkIn(.ok, mark: "two") == [.report(.newPolicy, nil), .restart])
    }

    @Test(arguments: [
        (CheckInOutcome.failure("x"), true, StatusCode.policyUnreachable),
        (.failure("x"), false, .enrollmentUnreachable),
        (.networkFailure("x"), false, .enrollmentUnreachable),
        (.unreadable("x"), false, .policyUnreachable),
        (.notUnderstood("x"), true, .notUnderstood), (.timedOut("x"), true, .timeout),
    ])
    func `a check-in that fails has its number`(
        _ outcome: CheckInOutcome, _ isEnrolled: Bool, _ code: StatusCode
    ) {
        var world = World()
        world.isCovered = isEnrolled
        _ = world.checkIn()
        #expect(world.checkIn(outcome) == [.report(code, "x")])
        #expect(world.record.stage == (isEnrolled ? .enrolled : .registered))
    }

    @Test func `an account that is not allowed is blocked and told`() {
        var world = World()
        world.isAllowed = false
        #expect(world.checkIn() == [.report(.notAllowed, nil)])
        #expect(world.block == .launch)
    }

    @Test func `signed out it stays, and asks for nothing, until it is registered again`() throws {
        var world = World()
        #expect(world.apply(.signedOut) == [.report(.unenrolled, nil)])
        try world.restart()
        #expect(world.block == .signedOut)
        #expect(world.pass(1000 * day).isEmpty)
        #expect(world.record.secondsToNext(world.facts) == nil)
        #expect(world.checkIn().isEmpty)
        #expect(world.apply(.registered) == [.report(.newPolicy, nil), .restart])
        #expect(world.block == nil)
    }

    @Test func `wrong passphrases lock out at the limit, over a restart`() throws {
        var world = World()
        #expect(world.apply(.wrongPassphrase(count: 4)).isEmpty)
        #expect(world.block == nil)
        #expect(world.apply(.wrongPassphrase(count: 5)).isEmpty)
        #expect(world.block == .lockedOut)
        try world.restart()
        _ = world.checkIn()
        #expect(world.block == .lockedOut)
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
    }

    @Test func `or wipe`() {
        var world = World()
        world.policy = policy {
            $0.pinRequired = true
            $0.maximumPinRetries = 2
            $0.appActionIfMaximumPinRetriesExceeded = .wipe
        }
        #expect(world.apply(.wrongPassphrase(count: 1)).isEmpty)
        #expect(world.apply(.wrongPassphrase(count: 2)).isWipe(.passphrase))
    }

    @Test func `without a PIN policy there is no limit`() {
        var world = World()
        world.policy = .unrestricted
        #expect(world.apply(.wrongPassphrase(count: 1000)).isEmpty)
        #expect(world.block == nil)
    }

    @Test func `a passphrase that is not good enough blocks until it is changed, or the rules are`()
        throws
    {
        var world = World()
        _ = world.apply(.opened(flaw: "too short"))
        try world.restart()
        #expect(world.block == .passphrase)
        world.policy = policy {
            $0.pinRequired = true
            $0.minimumPinLength = 3
        }
        #expect(world.block == nil)
        world.policy = portal
        _ = world.apply(.newPassphrase)
        #expect(world.block == nil)
    }

    @Test func `recovery words end a lock-out, and say nothing of the passphrase`() {
        var world = World()
        _ = world.apply(.opened(flaw: "too short"))
        _ = world.apply(.wrongPassphrase(count: 5))
        #expect(world.block == .lockedOut)
        _ = world.apply(.recovered)
        #expect(world.block == .passphrase)
        _ = world.apply(.newPassphrase)
        _ = world.apply(.recovered)
        #expect(world.block == nil)
    }

    @Test func `policy may want a passphrase where there is none`() {
        var world = World()
        world.hasPassphrase = false
        #expect(world.block == .passphrase)
        #expect(world.facts.recheckSeconds == nil)
        world.policy = .unrestricted
        #expect(world.block == nil)
    }

    @Test func `the recheck is for passphrases that policy wants`() {
        var world = World()
        #expect(world.facts.recheckSeconds == 1800)
        world.policy = policy { $0.periodOnlineBeforeAccessCheck = PolicyDuration(seconds: 60) }
        #expect(world.facts.recheckSeconds == nil)
        world.policy = policy {
            $0.periodOnlineBeforeAccessCheck = PolicyDuration(seconds: 60)
            $0.organizationalCredentialsRequired = true
        }
        #expect(world.facts.recheckSeconds == 60)
    }

    @Test func `conditions warn, block and wipe`() {
        var world = World()
        world.policy = policy {
            $0.minimumWarningOsVersion = "12"
            $0.minimumRequiredOsVersion = "11"
            $0.minimumWipeOsVersion = "10"
        }
        func verdict(_ version: String) -> LaunchVerdict {
            var conditions = LaunchConditions(now: 0)
            conditions.osVersion = version
            return world.policy.launchVerdict(conditions)
        }
        #expect(world.check(verdict("12.1")).isEmpty)
        #expect(world.block == nil)
        let warning = verdict("11.5")
        #expect(world.check(warning) == [.warn(warning.findings[0])])
        #expect(world.check(warning).isEmpty)
        #expect(world.block == nil)
        _ = world.check(verdict("10.5"))
        #expect(world.block == .launch)
        #expect(Array(world.check(verdict("9")).suffix(1)).isWipe(.launch))
    }

    @Test func `a new warning is told beside a wipe`() {
        var world = World()
        let findings: [LaunchFinding] = [
            .init(action: .wipe, subject: .osVersion, rule: "wipes", reason: "too old"),
            .init(action: .warn, subject: .compliance, rule: "warns", reason: "soon"),
        ]
        let actions = world.check(LaunchVerdict(findings))
        #expect(actions.first == .warn(findings[1]))
        #expect(Array(actions.dropFirst()).isWipe(.launch))
    }

    @Test func `a check that began before the last one no longer counts`() {
        var world = World()
        let blocked = LaunchVerdict([
            LaunchFinding(action: .block, subject: .compliance, rule: "rule", reason: "")
        ])
        _ = world.apply(.launch(.passed, nil, check: 2))
        #expect(world.apply(.launch(blocked, .clockedOut, check: 1)).isEmpty)
        #expect(world.block == nil)
        #expect(world.record.sinceClockedOut == nil)
        _ = world.apply(.launch(blocked, nil, check: 3))
        #expect(world.block == .launch)
    }

    @Test func `clocked out, the grace period runs from when it was first seen`() {
        var world = World()
        world.policy = policy {
            $0.appActionIfAccountIsClockedOut = .block
            $0.gracePeriodToBlockAppsDuringOffClockHours = PolicyDuration(seconds: 600)
        }
        func look() {
            var conditions = LaunchConditions(now: world.record.sinceClockedOut ?? 0)
            conditions.clockStatus = .clockedOut
            conditions.clockedOutSince = 0
            _ = world.check(world.policy.launchVerdict(conditions), .clockedOut)
        }
        look()
        _ = world.pass(599)
        look()
        #expect(world.block == nil)
        _ = world.pass(1)
        look()
        #expect(world.block == .clockedOut)
        _ = world.check(.passed, .clockedIn)
        #expect(world.block == nil)
        #expect(world.record.sinceClockedOut == nil)
    }

    @Test func `a damaged record is the strictest, destroys nothing, and is mended by a login`() {
        var world = World()
        world.record = .strictest(at: ClockReading(world.moment, boot: world.boot))
        #expect(world.look() == [.checkIn])
        #expect(world.block == .offlineWipe || world.block == .lockedOut)
        _ = world.checkIn()
        #expect(world.block != nil)
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
    }

    @Test func `a record is read as it was written, and nothing else is`() throws {
        var world = World()
        _ = world.pass(91 * day)
        _ = world.apply(.opened(flaw: "short"))
        _ = world.apply(.wrongPassphrase(count: 9))
        let json = world.record.json
        #expect(EnrollmentRecord(json)?.json == json)
        for key in try #require(json.object).keys {
            for value: JSONValue in [.integer(-7), "nonsense", ["x"]] {
                var members = try #require(json.object)
                members[key] = value
                let read = EnrollmentRecord(.object(members))
                #expect(read == nil || read?.json == .object(members), "\(key)")
            }
        }
    }

    @Test(arguments: [
        "sinceCheckIn", "sinceAttempt", "networkFailures", "wrongBefore", "sincePassphrase",
        "sinceClockedOut",
    ])
    func `a record with a count below nothing is damaged`(_ key: String) throws {
        for value in [-1, Int64.min] {
            var members = try #require(World().record.json.object)
            members[key] = .integer(value)
            #expect(EnrollmentRecord(.object(members)) == nil)
        }
    }

    /// A damaged record may hold any number; none ends the daemon.
    @Test(arguments: [
        "wallSeconds", "secondsSinceBoot", "sinceCheckIn", "sinceAttempt", "networkFailures",
        "wrongBefore", "sincePassphrase", "sinceClockedOut",
    ])
    func `whatever number a record has, all can happen to it`(_ key: String) throws {
        for value in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            var members = try #require(World().record.json.object)
            members["offlineWipe"] = "needs-passphrase"
            members[key] = .integer(value)
            guard let record = EnrollmentRecord(.object(members)) else { continue }
            goThroughAll(record)
        }
    }

    private func goThroughAll(_ record: EnrollmentRecord) {
        let inputs: [EnrollmentInput] = [
            .time, .wrongPassphrase(count: 3), .launch(.passed, .clockedOut, check: 1),
            .checkIn(.networkFailure("down"), mark: ""), .checkIn(.ok, mark: ""),
            .opened(flaw: nil), .registered,
        ]
        for input in inputs {
            var world = World()
            world.policy = policy {
                $0.pinRequired = true
                $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: .max)
                $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: .max)
                $0.periodBeforePinReset = PolicyDuration(seconds: .max)
                $0.gracePeriodToBlockAppsDuringOffClockHours = PolicyDuration(seconds: .max)
            }
            world.record = record
            _ = world.apply(input)
            _ = world.pass(1)
            _ = world.block
            #expect(world.record.secondsToNext(world.facts) ?? 0 >= 0)
            #expect(world.record.secondsToOfflineEnds(world.facts).block ?? 0 >= 0)
        }
    }

    @Test func `every number says what it means`() {
        #expect(StatusCode.allCases.count == 33)
        #expect(Set(StatusCode.allCases.map(\.meaning)).count == 33)
        #expect(
            StatusCode.allCases.filter(\.didSucceed).map(\.rawValue) == [100, 101, 102, 103, 104])
    }

    @Test func `a wipe request has an id and an account, and is obeyed once`() {
        let json: JSONValue = ["@odata.type": "#mamd.wipeRequest", "id": "7", "account": "ann"]
        #expect(WipeRequest(json) == WipeRequest(id: "7", account: "ann"))
        #expect(WipeRequest(["@odata.type": "#mamd.wipeRequest", "id": "7"]) == nil)
        #expect(WipeRequest(["id": "7", "account": "ann"]) == nil)
        var obeyed = ObeyedRequests()
        obeyed.note("7")
        for _ in 0..<4 { obeyed.pass(day) }
        #expect(obeyed.contains("7"))
        obeyed.note("7")
        // Nobody looked meanwhile.
        obeyed.pass(100 * day)
        for _ in 0..<3 { obeyed.pass(day) }
        #expect(obeyed.contains("7"))
        #expect(ObeyedRequests(obeyed.json) == obeyed)
        obeyed.pass(1)
        #expect(!obeyed.contains("7"))
    }
}
