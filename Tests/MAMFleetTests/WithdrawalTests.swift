import MAMFleet
import MAMModel
import Testing

@Suite struct WithdrawalTests {
    let contoso = Organization()
    let now = Organization.start + 60
    let wipe = Order(.wipe, account: Bytes16(high: 3, low: 4))
    let nonce = Bytes16(high: 9, low: 1)
    let other = Bytes16(high: 9, low: 2)

    private var withdrawal: Envelope {
        contoso.order(Order(withdrawing: nonce), nonce: 2, days: 1)
    }

    @Test func `an order that was withdrawn first is refused as long as it could last`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(withdrawal, at: now)
        standing.finish("\(other)")
        let late = contoso.order(wipe, days: 366)
        #expect(throws: Refusal.obeyed) { try standing.accept(late, at: now) }
        // A carrier replays it once the withdrawal is forgotten.
        for day in [2, 200, 365] {
            let later = now + Int64(day) * Organization.day
            _ = try standing.accept(contoso.time(at: later), at: later)
            standing = try MachineStanding(standing.json)
            #expect(throws: Refusal.self, "day \(day)") { try standing.accept(late, at: later) }
        }
        #expect(standing.nonces(atMost: 10).contains("\(nonce)") == false)
    }

    @Test(arguments: [false, true])
    func `one whose signer's clock was ahead is refused until it expires`(_ isKnown: Bool) throws {
        var standing = try contoso.standing()
        let hour: Int64 = 3600
        let ahead = contoso.envelope(
            .order, wipe.json.encoded(), for: .machine(Organization.machine), name: "\(nonce)",
            issued: Organization.start + hour, days: 366, by: Array(contoso.orders.prefix(2)))
        if isKnown { _ = try standing.accept(ahead, at: now) }
        _ = try standing.accept(withdrawal, at: now)
        standing.finish("\(other)")
        // The order has half an hour left.
        let later = Organization.start + 366 * Organization.day + hour / 2
        _ = try standing.accept(contoso.time(at: later), at: later)
        #expect(throws: Refusal.obeyed) { try standing.accept(ahead, at: later) }
    }

    @Test func `what waits is not begun`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.order(wipe), at: now)
        _ = try standing.accept(withdrawal, at: now)
        #expect(standing.pending == ["\(other)": Order(withdrawing: nonce)])
        standing.finish("\(other)")
        #expect(standing.nonces(atMost: 10) == ["\(other)"])
        #expect(try MachineStanding(standing.json) == standing)
        #expect(throws: Refusal.obeyed) { try standing.accept(contoso.order(wipe), at: now) }
        // It was under way just then: what was done is told.
        #expect(standing.isOpen("\(nonce)"))
        standing.finish("\(nonce)")
        #expect(standing.nonces(atMost: 10).contains("\(nonce)"))
    }

    @Test func `what is done stays done`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.order(wipe), at: now)
        standing.finish("\(nonce)")
        _ = try standing.accept(withdrawal, at: now)
        #expect(standing.withdrawn.isEmpty)
        #expect(standing.nonces(atMost: 10).contains("\(nonce)"))
    }

    @Test func `one key alone leaves room for a wipe`() throws {
        let old = contoso.ownOrder(Order(.lock), by: [contoso.orders[0]])
        var members = try contoso.standing().json.object ?? [:]
        for (count, isFull) in [(4999, false), (5000, true), (9999, true)] {
            let nonces = (1...count).map { ("\(Bytes16(high: 8, low: UInt64($0)))", now) }
            members["obeyed"] = .object(
                Dictionary(uniqueKeysWithValues: nonces).mapValues { .integer($0) })
            var standing = try MachineStanding(.object(members))
            if isFull {
                #expect(throws: Refusal.full) { try standing.accept(old, at: now) }
            } else {
                _ = try standing.accept(old, at: now)
            }
            _ = try standing.accept(contoso.order(wipe), at: now)
        }
    }

    @Test func `one key alone keeps no machine from a wipe`() throws {
        var standing = try contoso.standing()
        let alone = contoso.order(
            Order(withdrawing: nonce), nonce: 2, by: [contoso.orders[0]])
        #expect(throws: Refusal.notSigned(.order, found: 1, needed: 2)) {
            try standing.accept(alone, at: now)
        }
        #expect(throws: Refusal.self) {
            try standing.accept(
                contoso.order(Order(withdrawing: nonce), for: .all, nonce: 2), at: now)
        }
        _ = try standing.accept(contoso.order(wipe), at: now)
    }
}
