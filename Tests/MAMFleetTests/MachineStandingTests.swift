import MAMFleet
import MAMModel
import Testing

@Suite struct MachineStandingTests {
    let contoso = Organization()
    let now = Organization.start + 60

    private func refusal(
        _ standing: inout MachineStanding, _ envelope: Envelope, at time: Int64? = nil
    ) -> Refusal? {
        let before = standing
        do throws(Refusal) {
            _ = try standing.accept(envelope, at: time ?? now)
            return nil
        } catch {
            #expect(standing == before)
            return error
        }
    }

    @Test func `newer documents replace older ones, and never the other way round`() throws {
        var standing = try contoso.standing()
        #expect(try standing.accept(contoso.policy(serial: 5), at: now) == .documents)
        #expect(try standing.accept(contoso.policy(serial: 5), at: now) == .nothing)
        #expect(refusal(&standing, contoso.policy(serial: 4)) == .older(serial: 4, than: 5))
        #expect(
            refusal(&standing, contoso.policy("{}", serial: 5)) == .twoOfOneSerial(5))
        #expect(standing.policies.map(\.statement.serial) == [5])
        // Taken back by one without content, which an older one does not undo.
        #expect(try standing.accept(contoso.policy("", serial: 6), at: now) == .documents)
        #expect(standing.policies.isEmpty)
        #expect(refusal(&standing, contoso.policy(serial: 5)) == .older(serial: 5, than: 6))
    }

    @Test func `documents are for those that they name`() throws {
        var standing = try contoso.standing()
        let other = Bytes16(high: 8, low: 8)
        #expect(
            refusal(&standing, contoso.policy(for: .machine(other)))
                == .notForThisMachine(.machine(other)))
        _ = try standing.accept(contoso.policy(for: .group("finance")), at: now)
        #expect(standing.policies.isEmpty)
        let membership = Membership(groups: ["finance"], members: ["staff": ["ann@contoso.com"]])
        _ = try standing.accept(
            contoso.envelope(
                .membership, membership.json.encoded(), for: .machine(Organization.machine),
                name: "groups", by: contoso.policies), at: now)
        #expect(standing.policies.count == 1)
        #expect(standing.membership == membership)
    }

    @Test func `an order is obeyed once, and before it expires`() throws {
        var standing = try contoso.standing()
        let account = Bytes16(high: 3, low: 4)
        let wipe = contoso.order(Order(.wipe, account: account))
        // The machine was off for a month.
        let later = now + 31 * Organization.day
        guard case .order(let order, let nonce) = try standing.accept(wipe, at: later) else {
            Issue.record("no order")
            return
        }
        #expect(order == Order(.wipe, account: account))
        #expect(standing.pending == [nonce: order])
        #expect(refusal(&standing, wipe, at: later) == .obeyed)
        standing.finish(nonce)
        #expect(standing.pending.isEmpty)
        standing = try MachineStanding(standing.json)
        #expect(refusal(&standing, wipe, at: later) == .obeyed)
        // Forgotten once a signed time is past it; a clock that goes back does not help.
        let end = Organization.start + 100 * Organization.day
        _ = try standing.accept(contoso.time(at: end), at: now)
        #expect(standing.obeyed.isEmpty)
        #expect(refusal(&standing, wipe, at: now) == .expired(Organization.start + 90 * 86_400))
    }

    @Test func `a forgotten order stays refused when the time's key was taken back`() throws {
        var changed = contoso
        var standing = try contoso.standing()
        let wipe = contoso.order(Order(.wipe, account: .zero))
        guard case .order(_, let nonce) = try standing.accept(wipe, at: now) else { return }
        standing.finish(nonce)
        _ = try standing.accept(contoso.time(at: now + 1000 * Organization.day), at: now)
        changed.times = [Key()]
        _ = try standing.accept(
            changed.root(serial: 2, signedBy: contoso.roots), at: now)
        #expect(standing.latestTime == 0)
        #expect(refusal(&standing, wipe) == .expired(Organization.start + 90 * 86_400))
        let next = contoso.order(Order(.wipe, account: .zero), nonce: 2, days: 91)
        #expect(refusal(&standing, next) == nil)
    }

    @Test func `an order names one machine, and does not last for ever`() throws {
        var standing = try contoso.standing()
        let wipe = Order(.wipe, account: .zero)
        #expect(refusal(&standing, contoso.order(wipe, for: .all)) != nil)
        #expect(refusal(&standing, contoso.order(Order(.leave), for: .all)) != nil)
        #expect(refusal(&standing, contoso.order(wipe, days: 367)) == .lastsTooLong(days: 366))
        #expect(
            refusal(&standing, contoso.order(Order(.lock), for: .group("x")))
                == .notForThisMachine(.group("x")))
        #expect(refusal(&standing, contoso.order(Order(.lock), for: .all)) == nil)
    }

    @Test func `the next root needs the keys of both`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(), at: now)
        var next = contoso
        next.roots = [Key(), Key()]
        let newKeysAlone = try next.root(serial: 2)
        #expect(refusal(&standing, newKeysAlone) == .notSigned(.root, found: 0, needed: 2))
        let oldKeysAlone = try next.root(serial: 2, signedBy: contoso.roots)
        #expect(refusal(&standing, oldKeysAlone) == .notSigned(.root, found: 0, needed: 2))
        let both = try next.root(serial: 2, signedBy: contoso.roots + next.roots)
        #expect(try standing.accept(both, at: now) == .root)
        #expect(standing.policies.count == 1)
        let first = try contoso.root()
        #expect(refusal(&standing, first) == .older(serial: 1, than: 2))
        let skipping = try next.root(serial: 4)
        #expect(refusal(&standing, skipping) == .notSerial(found: 4, expected: 3))
    }

    @Test func `what a key signed that was taken back counts no more`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(serial: .max), at: now)
        var next = contoso
        next.policies = [Key()]
        _ = try standing.accept(next.root(serial: 2), at: now)
        #expect(standing.policies.isEmpty)
        #expect(
            refusal(&standing, contoso.policy()) == .notSigned(.policy, found: 0, needed: 1))
        #expect(try standing.accept(next.policy(serial: 2), at: now) == .documents)
    }

    @Test func `a check-in counts with a time of today and all that it names`() throws {
        var standing = try contoso.standing()
        #expect(standing.staleness(at: now) == .noTime)
        let slot = contoso.policy()
        let head = Slot(.policy, .all, "level2.json")
        _ = try standing.accept(
            contoso.time(
                at: now, heads: [head: 1, Slot(.policy, .group("sales"), "other.json"): 9]),
            at: now)
        #expect(standing.staleness(at: now) == .heldBack(head, serial: 1))
        _ = try standing.accept(slot, at: now)
        #expect(standing.staleness(at: now) == nil)
        #expect(standing.staleness(at: now + Organization.day) == nil)
        #expect(standing.staleness(at: now + Organization.day + 1) == .oldTime(now))
        // A clock that is behind by a day is not believed.
        #expect(standing.staleness(at: now - Organization.day) == nil)
        let late = now + 31 * Organization.day
        _ = try standing.accept(contoso.time(at: late), at: late)
        #expect(
            standing.staleness(at: late)
                == .expired(head, Organization.start + 30 * Organization.day))
        // It stays in force nevertheless.
        #expect(standing.policies.count == 1)
    }

    @Test func `it is the same after it was stored`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(), at: now)
        _ = try standing.accept(contoso.time(at: now), at: now)
        _ = try standing.accept(contoso.order(Order(.lock)), at: now)
        #expect(try MachineStanding(standing.json) == standing)
        #expect(throws: Refusal.self) {
            var members = standing.json.object ?? [:]
            members["root"] = try Organization().root().json
            return try MachineStanding(.object(members))
        }
    }
}
