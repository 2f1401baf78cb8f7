import MAMCrypto
import MAMFleet
import MAMModel
import Testing

/// Whoever has stolen one order key, and seen an order that takes several.
@Suite struct NonceTests {
    let contoso = Organization()
    let now = Organization.start + 60
    let wipe = Order(.wipe, account: Bytes16(high: 3, low: 4))
    var stolen: [Key] { [contoso.orders[0]] }

    @Test(arguments: [Order.Action.lock, .checkIn, .collectDiagnostics], [false, true])
    func `one key does not use up the nonce of a wipe`(_ action: Order.Action, _ isOld: Bool) throws
    {
        var standing = try contoso.standing()
        let wipe = isOld ? contoso.order(wipe) : contoso.ownOrder(wipe)
        let nonce = try wipe.statement().name
        for audience in [Audience.machine(Organization.machine), .all] {
            let forged = contoso.envelope(
                .order, Order(action).json.encoded(), for: audience, name: nonce, by: stolen)
            #expect(throws: Refusal.otherNonce) { try standing.accept(forged, at: now) }
        }
        #expect(standing.obeyed.isEmpty)
        #expect(
            try standing.accept(wipe, at: now) == .order(self.wipe, nonce: nonce))
    }

    @Test func `that is a reason to look at the machine`() {
        #expect(Refusal.otherNonce.kind.isSuspect)
    }

    @Test func `a nonce depends on all that is signed`() throws {
        let statement = try contoso.ownOrder(wipe).statement()
        #expect(statement.nonce == statement.name)
        var found: Set = [statement.nonce]
        func change(_ body: (inout Statement) -> Void) {
            var changed = statement
            body(&changed)
            #expect(found.insert(changed.nonce).inserted)
        }
        change { $0.organization = .zero }
        change { $0.audience = .all }
        change { $0.serial += 1 }
        change { $0.issued += 1 }
        change { $0.expires = 1 + ($0.expires ?? 0) }
        change { $0.digest[31] ^= 1 }
        // It has a fixed form: machines and those that sign must agree.
        let fixed = Statement(
            of: Array("{}".utf8), organization: Bytes16(high: 7, low: 7), audience: .group("lab"),
            name: "x", serial: 5, issued: 1_790_000_000, expires: 1_790_000_060)
        #expect(fixed.nonce == "f1acb487a07e5a44c48a4c611af0ee42")
    }

    @Test func `one key does not crowd a wipe out of what is told as obeyed`() throws {
        var standing = try contoso.standing()
        let nonce = try contoso.accepted(contoso.ownOrder(wipe, days: 30), &standing, at: now)
        for _ in 1...MachineStatus.maximumObeyedCount {
            let order = contoso.ownOrder(Order(.checkIn), days: 366, by: stolen)
            _ = try contoso.accepted(order, &standing, at: now)
        }
        #expect(try MachineStanding(standing.json) == standing)
        #expect(standing.nonces(atMost: MachineStatus.maximumObeyedCount).first == nonce)
        // Another join remembers it.
        var next = try contoso.standing()
        next.remember(standing)
        #expect(next.nonces(atMost: 1) == [nonce])
    }

    @Test func `orders that are alike are two`() throws {
        let names = try (1...3).map { _ in try contoso.ownOrder(Order(.lock)).statement().name }
        #expect(Set(names).count == 3)
    }

    /// A standing from before those that take several keys were told first.
    @Test func `a former version's standing tells what was obeyed`() throws {
        var standing = try contoso.standing()
        let nonce = try contoso.accepted(contoso.ownOrder(wipe), &standing, at: now)
        var members = standing.json.object ?? [:]
        members["needingAll"] = nil
        #expect(try MachineStanding(.object(members)).nonces(atMost: 10) == [nonce])
    }

    /// A standing from before orders had nonces of their own.
    @Test func `what a former version has noted counts for every order of that nonce`() throws {
        let wipe = contoso.ownOrder(wipe)
        let nonce = try wipe.statement().name
        var members = try contoso.standing().json.object ?? [:]
        members["obeyed"] = [nonce: .integer(now + 60)]
        var standing = try MachineStanding(.object(members))
        #expect(throws: Refusal.obeyed) { try standing.accept(wipe, at: now) }
        #expect(standing.nonces(atMost: 10) == [nonce])
        // Signed again it is another.
        _ = try standing.accept(contoso.ownOrder(self.wipe), at: now)
    }
}

extension Organization {
    /// The nonce of an order that is accepted and done.
    fileprivate func accepted(
        _ order: Envelope, _ standing: inout MachineStanding, at now: Int64
    ) throws -> String {
        _ = try standing.accept(order, at: now)
        let nonce = try order.statement().name
        standing.finish(nonce)
        return nonce
    }
}
