import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSettings
import Testing

/// Nothing is wiped for what a document says that may only close.
@Suite struct WipeTests {
    @Test func `a time to wipe closes like one without access, and a check-in ends that`() {
        var world = World()
        world.policy = signed(closing: {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 2 * day)
        })
        _ = world.pass(2 * day - 1)
        #expect(world.block == nil)
        _ = world.pass(1)
        #expect(world.block == .offline)
        #expect(world.record.offlineWipe == nil)
        #expect(world.record.secondsToOfflineEnds(world.facts).wipe == nil)
        _ = world.checkIn()
        #expect(world.block == nil)
    }

    @Test func `a second of a signed document is a day`() {
        var world = World()
        world.policy = signed(
            closing: { _ in },
            wiping: { $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 1) })
        _ = world.pass(day - 1)
        #expect(world.block == nil)
        _ = world.pass(1)
        #expect(world.block == .offlineWipe)
    }

    @Test func `a shorter time of the one closes, and only the time of the other wipes`() {
        var world = World()
        world.policy = signed(
            closing: {
                $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: day)
                $0.maximumPinRetries = 1
            },
            wiping: {
                $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 9 * day)
                $0.maximumPinRetries = 3
            })
        _ = world.pass(9 * day - 1)
        #expect(world.block == .offline)
        _ = world.pass(1)
        #expect(world.block == .offlineWipe)
        _ = world.checkIn()
        for count in 1...2 { #expect(world.apply(.wrongPassphrase(count: count)).isEmpty) }
        #expect(world.apply(.wrongPassphrase(count: 3)).isWipe(.offline))
    }

    @Test func `a second chance that has begun ends with no wipe once nothing asks for one`() {
        var world = World()
        _ = world.pass(90 * day)
        _ = world.checkIn()
        world.policy = signed(closing: {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: day)
            $0.pinRequired = true
        })
        for count in 1...9 { #expect(world.apply(.wrongPassphrase(count: count)).isEmpty) }
        #expect(world.record.outlook(after: 1, world.policy.pin)?.english.contains("close") == true)
        #expect(world.block == .offlineWipe)
        _ = world.apply(.opened(flaw: nil))
        #expect(world.block == nil)
    }

    @Test func `a sign-in that only the one asks for is no part of the other's time`() throws {
        let issuer = #"{"ADALAuthority": "https://id.example", "ADALClientId": "client"}"#
        var world = World(settings: try Settings.decode(Array(issuer.utf8)))
        world.policy = signed(
            closing: { $0.organizationalCredentialsRequired = true },
            wiping: { $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 9 * day) })
        for _ in 1...10 {
            _ = world.pass(day)
            _ = world.checkIn()
        }
        #expect(world.block == .offline)
        #expect(world.record.offlineWipe == nil)
    }

    @Test func `after the one's tries it is locked out, and wiped only after the other's`() {
        var world = World()
        world.policy = signed(
            closing: { $0.maximumPinRetries = 1 },
            wiping: {
                $0.pinRequired = true
                $0.maximumPinRetries = 3
                $0.appActionIfMaximumPinRetriesExceeded = .wipe
            })
        let pin = world.policy.pin
        #expect(world.record.outlook(after: 0, pin)?.english.contains("closes") == true)
        #expect(world.apply(.wrongPassphrase(count: 1)).isEmpty)
        #expect(world.block == .lockedOut)
        #expect(world.record.outlook(after: 1, pin)?.english.contains("2 more") == true)
        #expect(world.record.outlook(after: 2, pin)?.english.contains("destroys") == true)
        #expect(world.apply(.wrongPassphrase(count: 2)).isEmpty)
        #expect(world.apply(.wrongPassphrase(count: 3)).isWipe(.passphrase))
    }

    /// The tries, and what the last of them leads to.
    static let ends: [(EffectivePolicy, [GuessConsequence?])] = [
        (portal, [nil, nil, nil, nil, .lockedOut, nil, nil]),
        (policy { _ in }, [nil, nil, nil]),
        (
            policy {
                $0.pinRequired = true
                $0.maximumPinRetries = 2
                $0.appActionIfMaximumPinRetriesExceeded = .wipe
            }, [nil, .wiped]
        ),
        (
            signed(
                closing: { $0.maximumPinRetries = 1 },
                wiping: {
                    $0.pinRequired = true
                    $0.maximumPinRetries = 3
                    $0.appActionIfMaximumPinRetriesExceeded = .wipe
                }), [.lockedOut, nil, .wiped]
        ),
    ]

    @Test(arguments: ends)
    func `what a wrong one will lead to is what it leads to`(
        policy: EffectivePolicy, ends: [GuessConsequence?]
    ) {
        var world = World()
        world.policy = policy
        for (count, end) in ends.enumerated() {
            #expect(world.record.consequence(ofWrongAfter: count, world.facts) == end)
            let wasOpen = world.block == nil
            let isWiped = world.apply(.wrongPassphrase(count: count + 1)).isWipe(.passphrase)
            let isLockedOut = wasOpen && world.block == .lockedOut
            #expect(isWiped == (end == .wiped))
            #expect(isWiped || isLockedOut == (end == .lockedOut))
        }
    }

    @Test func `a policy that allows fewer than there were makes the next one the last`() {
        var world = World()
        for count in 1...4 { _ = world.apply(.wrongPassphrase(count: count)) }
        world.policy = policy {
            $0.pinRequired = true
            $0.maximumPinRetries = 2
        }
        #expect(world.record.consequence(ofWrongAfter: 4, world.facts) == .lockedOut)
    }

    @Test func `a login's one chance before a wipe is known before its check-in`() {
        var world = World()
        world.policy = policy {
            $0.periodOfflineBeforeWipeIsEnforced = PolicyDuration(seconds: 9 * day)
            $0.maximumPinRetries = 1
        }
        #expect(world.record.consequence(ofWrongAfter: 0, world.facts) == nil)
        _ = world.pass(9 * day)
        #expect(world.record.consequence(ofWrongAfter: 0, world.facts) == .wiped)
        _ = world.checkIn()
        #expect(world.record.consequence(ofWrongAfter: 0, world.facts) == .wiped)
    }

    @Test func `the action of the one does not count the tries of the other`() {
        var world = World()
        world.policy = signed(
            closing: { $0.appActionIfMaximumPinRetriesExceeded = .wipe },
            wiping: {
                $0.pinRequired = true
                $0.maximumPinRetries = 2
            })
        for count in 1...9 { #expect(world.apply(.wrongPassphrase(count: count)).isEmpty) }
        #expect(world.block == .lockedOut)
    }
}
