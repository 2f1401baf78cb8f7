import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSystem
import Testing

/// Every timer, a second before and at its time.
@Suite struct TimerTests {
    @Test func `an enrolled account checks in every eight hours`() {
        var world = World()
        #expect(world.record.stage == .enrolled)
        #expect(world.pass(8 * hour - 1).isEmpty)
        #expect(world.record.secondsToNext(world.facts) == 1)
        #expect(world.pass(1) == [.checkIn])
    }

    @Test(arguments: [(1800, 600), (43_200, 14_400), (30, 10)] as [(Int64, Int64)])
    func `an attempt may fail within an offline period, and the next one keeps it open`(
        period: Int64, distance: Int64
    ) {
        var world = World()
        world.policy = policy {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 90 * day)
            $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: period)
        }
        for outcome in [.unchanged, .failure("no"), .networkFailure("down")] as [CheckInOutcome] {
            _ = world.checkIn()
            #expect(world.pass(distance - 1).isEmpty)
            #expect(world.pass(1) == [.checkIn])
            _ = world.checkIn(outcome)
            #expect(world.record.secondsToNext(world.facts) ?? .max <= distance)
        }
    }

    @Test func `a period of seconds has no server asked without a pause`() {
        var world = World()
        world.policy = policy {
            $0.periodOfflineBeforeAccessCheck = PolicyDuration(seconds: 6)
        }
        _ = world.checkIn()
        #expect(world.pass(9).isEmpty)
        #expect(world.pass(1) == [.checkIn])
    }

    @Test func `a registered one that no policy covers asks again after a day`() {
        var world = World()
        // What covers nobody has no periods.
        (world.isCovered, world.policy) = (false, policy { _ in })
        #expect(world.checkIn() == [.report(.noPolicy, nil)])
        #expect(world.pass(day - 1).isEmpty)
        #expect(world.pass(1) == [.checkIn])
        (world.isCovered, world.policy) = (true, portal)
        #expect(world.checkIn() == [.report(.newPolicy, nil), .restart])
    }

    @Test func `a network that fails is tried at growing distances, up to an hour`() {
        var world = World()
        var distances: [Int64] = []
        for _ in 0..<9 {
            _ = world.checkIn(.networkFailure("down"))
            let distance = world.record.secondsToNext(world.facts) ?? 0
            #expect(world.pass(distance - 1).isEmpty)
            #expect(world.pass(1) == [.checkIn])
            distances.append(distance)
        }
        #expect(distances == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
        _ = world.checkIn()
        #expect(world.record.secondsToNext(world.facts) == 8 * hour)
    }

    @Test func `offline for a day it is blocked, and a check-in ends that`() {
        var world = World()
        _ = world.pass(day - 1)
        #expect(world.block == nil)
        _ = world.pass(1)
        #expect(world.block == .offline)
        #expect(world.checkIn(.failure("no")) == [.report(.policyUnreachable, "no")])
        #expect(world.block == .offline)
        _ = world.checkIn()
        #expect(world.block == nil)
    }

    @Test(arguments: [nil, 0] as [Int64?])
    func `no period or none of length means never`(_ seconds: Int64?) {
        var world = World()
        world.policy = policy {
            $0.periodOfflineBeforeAccessCheck = seconds.map { PolicyDuration(seconds: $0) }
            $0.periodOfflineBeforeWipeIsEnforced = seconds.map { PolicyDuration(seconds: $0) }
        }
        _ = world.pass(1000 * day)
        #expect(world.block == nil)
    }

    @Test func `the wipe's time blocks, and gives a second chance`() {
        var world = World()
        _ = world.pass(90 * day - 1)
        #expect(world.block == .offline)
        _ = world.pass(1)
        #expect(world.block == .offlineWipe)
        #expect(world.record.offlineWipe == .needsCheckIn)
        // A check-in alone is not enough,
        _ = world.checkIn()
        #expect(world.block == .offlineWipe)
        // the passphrase with it is.
        #expect(world.apply(.opened(flaw: nil)).isEmpty)
        #expect(world.block == nil)
    }

    @Test func `the second chance ends at the retry limit`() {
        var world = World()
        _ = world.pass(90 * day)
        // Before the reconnect a wrong passphrase wipes nothing.
        #expect(world.apply(.wrongPassphrase(count: 5)).isEmpty)
        _ = world.checkIn()
        // Nor do those of before count for one.
        for count in 6...9 {
            #expect(world.apply(.wrongPassphrase(count: count)).isEmpty)
        }
        #expect(world.record.offlineWipe == .needsPassphrase)
        #expect(world.apply(.wrongPassphrase(count: 10)).isWipe(.offline))
    }

    @Test func `what was counted in the second chance is kept by a restart, and ends with it`()
        throws
    {
        var world = World()
        _ = world.pass(90 * day)
        _ = world.checkIn()
        for count in 3...6 { _ = world.apply(.wrongPassphrase(count: count)) }
        try world.restart()
        #expect(world.apply(.wrongPassphrase(count: 7)).isWipe(.offline))
        _ = world.apply(.opened(flaw: nil))
        _ = world.pass(90 * day)
        _ = world.checkIn()
        #expect(world.apply(.wrongPassphrase(count: 1)).isEmpty)
    }

    @Test func `where no policy covers it any more it waits, and is neither wiped nor open`()
        throws
    {
        var world = World()
        _ = world.pass(90 * day)
        (world.isCovered, world.policy) = (false, .unrestricted)
        #expect(world.checkIn() == [.report(.noPolicy, nil)])
        for count in 1...9 { #expect(world.apply(.wrongPassphrase(count: count)).isEmpty) }
        _ = world.apply(.opened(flaw: nil))
        try world.restart()
        #expect(world.block == .offlineWipe)
        (world.isCovered, world.policy) = (true, portal)
        _ = world.checkIn()
        #expect(world.block == .offlineWipe)
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
    }

    @Test func `a damaged record is no time that passed, and nothing is wiped for it`() {
        var world = World()
        world.record = .strictest(at: ClockReading(world.moment, boot: world.boot))
        _ = world.look()
        #expect(world.block == .lockedOut)
        #expect(world.record.offlineWipe == nil)
        _ = world.checkIn()
        #expect(world.block == .lockedOut)
        for count in 1...9 {
            #expect(world.apply(.wrongPassphrase(count: count)).isEmpty)
        }
        world.isCovered = false
        #expect(world.checkIn() == [.report(.noPolicy, nil)])
        world.isCovered = true
        _ = world.checkIn()
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
    }

    @Test func `an account without a passphrase needs the check-in alone`() {
        var world = World()
        world.policy = policy {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: day)
        }
        world.hasPassphrase = false
        _ = world.pass(day)
        #expect(world.block == .offlineWipe)
        _ = world.checkIn()
        #expect(world.block == nil)
    }

    @Test func `a passphrase expires`() {
        var world = World()
        world.policy = policy {
            $0.pinRequired = true
            $0.periodBeforePinReset = PolicyDuration(seconds: 90 * day)
        }
        _ = world.pass(90 * day - 1)
        #expect(world.block == nil)
        _ = world.pass(1)
        #expect(world.block == .passphrase)
        _ = world.apply(.newPassphrase)
        #expect(world.block == nil)
    }

    @Test func `a clock that is set back gains no time`() {
        var world = World()
        for _ in 0..<24 {
            world.moment.wallSeconds -= 10 * hour
            world.moment.secondsSinceBoot += hour
            _ = world.look()
        }
        #expect(world.block == .offline)
    }

    @Test
    func `a clock that jumped and was set right blocks until the next check-in, not for ever`() {
        var world = World()
        world.moment.wallSeconds += 400 * day
        _ = world.look()
        #expect(world.block == .offlineWipe)
        world.moment.wallSeconds -= 400 * day
        _ = world.checkIn()
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
        #expect(world.pass(8 * hour - 1).isEmpty)
    }

    @Test func `a restart keeps every count, and a reboot does not reset it`() throws {
        var world = World()
        _ = world.pass(day - 100)
        try world.restart()
        #expect(world.block == nil)
        world.boot = "second"
        world.moment.secondsSinceBoot = 5
        world.moment.wallSeconds += 99
        _ = world.look()
        #expect(world.block == nil)
        world.moment.wallSeconds += 1
        world.moment.secondsSinceBoot += 1
        _ = world.look()
        #expect(world.block == .offline)
        // What was missed comes at the next start.
        #expect(world.record.due(world.facts) == [.checkIn])
    }

    @Test func `time stays at the end of what can be counted`() {
        var world = World()
        for _ in 0..<4 {
            world.moment.wallSeconds = .max
            _ = world.look()
            world.moment.wallSeconds = .min
            _ = world.look()
        }
        #expect(world.record.sinceCheckIn == .max)
        #expect(world.block == .offlineWipe)
    }
}

extension [EnrollmentAction] {
    func isWipe(_ trigger: WipeReason.Trigger) -> Bool {
        if case .wipe(let reason)? = first {
            reason.trigger == trigger && count == 1
        } else {
            false
        }
    }
}
