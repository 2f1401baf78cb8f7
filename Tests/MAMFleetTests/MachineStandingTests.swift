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
        // Not while the clock disagrees: the key of the time may be stolen.
        #expect(refusal(&standing, contoso.time(at: end)) == .issuedLater(end))
        _ = try standing.accept(contoso.time(at: end + 1), at: end + 1)
        #expect(standing.obeyed.isEmpty)
        #expect(refusal(&standing, wipe, at: now) == .expired(Organization.start + 90 * 86_400))
    }

    @Test func `a forgotten order stays refused when the time's key was taken back`() throws {
        var changed = contoso
        var standing = try contoso.standing()
        let wipe = contoso.order(Order(.wipe, account: .zero))
        guard case .order(_, let nonce) = try standing.accept(wipe, at: now) else { return }
        standing.finish(nonce)
        let later = now + 1000 * Organization.day
        _ = try standing.accept(contoso.time(at: later), at: later)
        changed.times = [Key()]
        _ = try standing.accept(
            changed.root(serial: 2, signedBy: contoso.roots), at: now)
        #expect(standing.latestTime == 0)
        #expect(refusal(&standing, wipe) == .expired(Organization.start + 90 * 86_400))
        let next = contoso.order(Order(.wipe, account: .zero), nonce: 2, days: 91)
        #expect(refusal(&standing, next) == nil)
    }

    @Test(arguments: [0, -1000])
    func `whoever has the time key stops no order`(clockIsOffByDays days: Int64) throws {
        var standing = try contoso.standing()
        let clock = now + days * Organization.day
        // As far ahead as a time may be, and from there to the year 2399.
        for ahead in [2 * Organization.day, 4 * Organization.day, 13_600_000_000 - clock] {
            _ = try? standing.accept(contoso.time(at: clock + ahead), at: clock)
        }
        #expect(try MachineStanding(standing.json) == standing)
        let wipe = contoso.order(Order(.wipe, account: .zero))
        #expect(refusal(&standing, wipe, at: clock) == nil)
    }

    @Test func `a time is of two days from now at most, unless the clock is known to be behind`()
        throws
    {
        var standing = try contoso.standing()
        let later = now + 2 * Organization.day
        #expect(refusal(&standing, contoso.time(at: later + 1)) == .issuedLater(later + 1))
        #expect(refusal(&standing, contoso.time(at: later)) == nil)
        // It proves nothing about the clock, which a time key alone does not move.
        #expect(refusal(&standing, contoso.time(at: later + 1)) == .issuedLater(later + 1))
        #expect(standing.now(now) == now)
        // The root is of a day that has passed.
        #expect(refusal(&standing, contoso.time(at: later + 2), at: 0) == nil)
    }

    @Test func `an order names one machine, and does not last for ever`() throws {
        var standing = try contoso.standing()
        let wipe = Order(.wipe, account: .zero)
        #expect(refusal(&standing, contoso.order(wipe, for: .all)) != nil)
        #expect(refusal(&standing, contoso.order(Order(.leave), for: .all)) != nil)
        #expect(refusal(&standing, contoso.order(wipe, days: 367)) == .lastsTooLong(days: 366))
        #expect(
            refusal(&standing, contoso.ownOrder(Order(.lock), for: .group("x")))
                == .notForThisMachine(.group("x")))
        #expect(refusal(&standing, contoso.ownOrder(Order(.lock), for: .all)) == nil)
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

    @Test func `a rotation makes nothing looser`() throws {
        var standing = try contoso.standing()
        var both = contoso
        both.policies = [contoso.policies[0], Key()]
        _ = try standing.accept(both.root(serial: 2), at: now)
        let loose = both.policy("{}", name: "a.json", serial: 5, by: [both.policies[1]])
        let strict = both.policy(name: "a.json", serial: 6, by: [both.policies[0]])
        let kept = both.policy(name: "b.json", by: [both.policies[0]])
        for document in [loose, strict, kept] { _ = try standing.accept(document, at: now) }
        // Signed anew before: it stays, also if the carrier hands over that signature alone.
        let anew = both.policy(name: "b.json", by: [both.policies[1]])
        #expect(try standing.accept(anew, at: now) == .documents)
        #expect(try standing.accept(anew, at: now) == .nothing)
        var next = both
        next.policies = [both.policies[1]]
        let root = next.envelope(
            .root, try Root(parsing: next.root().content).json.encoded(), name: "root", serial: 3,
            issued: now, days: nil, by: next.roots)
        _ = try standing.accept(root, at: now)
        #expect(standing.policies.map(\.slot.name) == ["b.json"])
        let slot = Slot(.policy, .all, "a.json")
        #expect(standing.droppedDocuments == [slot])
        #expect(try MachineStanding(standing.json) == standing)
        _ = try standing.accept(contoso.time(at: now), at: now)
        #expect(standing.staleness(at: now) == .dropped([slot]))
        // Genuine, by a key that stays, and what the strict one had replaced.
        #expect(refusal(&standing, loose) == .issuedBefore(now))
        let new = next.envelope(
            .policy, Array("{}".utf8), name: "a.json", serial: 1, issued: now, by: next.policies)
        #expect(try standing.accept(new, at: now) == .documents)
        #expect(standing.droppedDocuments.isEmpty && standing.staleness(at: now) == nil)
    }

    @Test func `there is one time, for all`() throws {
        var standing = try contoso.standing()
        for (audience, name) in [(Audience.group("lab"), "time"), (.all, "other")] {
            let time = contoso.envelope(
                .time, SignedTime(heads: [:]).json.encoded(), for: audience, name: name,
                by: contoso.times)
            #expect(refusal(&standing, time) != nil)
        }
    }

    @Test func `who joins again has obeyed what it obeyed before`() throws {
        var standing = try contoso.standing()
        let leave = contoso.order(Order(.leave))
        _ = try standing.accept(leave, at: now)
        _ = try standing.accept(contoso.policy(serial: 5), at: now)
        var again = try contoso.standing()
        again.remember(standing)
        #expect(again.pending.isEmpty)
        #expect(refusal(&again, leave) == .obeyed)
        #expect(refusal(&again, contoso.policy(serial: 4)) == .older(serial: 4, than: 5))
        var other = try Organization().standing()
        other.remember(standing)
        #expect(other.obeyed == standing.obeyed)
    }

    @Test func `stolen order and time keys do not end all orders`() throws {
        var standing = try contoso.standing()
        let late = now + 300 * Organization.day
        var far = Envelope(
            Order(.lock), for: .all, of: contoso.id, issued: late, expires: late + 1)
        _ = far.sign(with: contoso.orders[0].seed)
        #expect(refusal(&standing, far) == .issuedLater(late))
        let lock = contoso.ownOrder(Order(.lock), days: 366, by: [contoso.orders[0]])
        _ = try standing.accept(lock, at: now)
        standing.finish(try lock.statement().name)
        #expect(refusal(&standing, contoso.time(at: now + 5000 * Organization.day)) != nil)
        #expect(standing.forgottenUntil == 0)
    }

    @Test func `other groups' documents make room`() throws {
        var standing = try contoso.standing()
        for number in 0..<MachineStanding.maximumDocumentCount {
            _ = try standing.accept(
                contoso.policy(for: .group("g\(number)")), at: now)
        }
        #expect(refusal(&standing, contoso.policy(for: .group("more"))) == .full)
        #expect(try standing.accept(contoso.policy(), at: now) == .documents)
        #expect(standing.policies.count == 1)
    }

    @Test func `only signatures that count are kept`() throws {
        var standing = try contoso.standing()
        let padded = contoso.policy(by: contoso.policies + (0..<50).map { _ in Key() })
        _ = try standing.accept(padded, at: now)
        #expect(standing.policies.first?.envelope.signatures.count == 1)
        // Nor a false one under the id of a key that has signed, wherever it stands.
        let good = contoso.policy(name: "two.json")
        var members = good.json.object ?? [:]
        let right = members["signatures"]?.array ?? []
        let false_: JSONValue = [
            "keyid": .string(good.signatures[0].key.description),
            "sig": .string(base64([UInt8](repeating: 7, count: 64))),
        ]
        members["signatures"] = .array([false_] + right)
        _ = try standing.accept(
            Envelope(parsing: JSONValue.object(members).encoded()), at: now)
        #expect(try MachineStanding(standing.json) == standing)
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
        _ = try standing.accept(contoso.ownOrder(Order(.lock)), at: now)
        #expect(try MachineStanding(standing.json) == standing)
        #expect(throws: Refusal.self) {
            var members = standing.json.object ?? [:]
            members["root"] = try Organization().root().json
            return try MachineStanding(.object(members))
        }
    }

    @Test(arguments: [DocumentKind.membership, .time])
    func `what a newer version accepted is not taken for empty`(kind: DocumentKind) throws {
        let newer = contoso.envelope(
            kind, Array(#"{"version": 99}"#.utf8), name: "time",
            by: kind == .time ? contoso.times : contoso.policies)
        var members = try contoso.standing().json.object ?? [:]
        members["documents"] = [newer.json]
        #expect(throws: Refusal.self) { try MachineStanding(.object(members)) }
    }
}
