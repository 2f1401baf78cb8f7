import MAMFleet
import MAMModel
import Testing

@testable import MAMEngine
@testable import MAMOffice

@Suite struct OrderBookTests {
    let test: TestDirectory
    let wipe = Order(.wipe, account: Bytes16(high: 3, low: 4))

    init() throws { test = try TestDirectory() }

    private func states() -> [SurveyedOrder.State] { test.survey.orders.orders.map(\.state) }

    private func attention() throws -> [SurveyedMachine.Attention] {
        try #require(test.survey.machines.first).attention
    }

    @Test func `what was obeyed stays obeyed when its machine is revoked`() throws {
        let nonce = try test.order(wipe, 1)
        try test.order(wipe, 2)
        try test.report([:]) { ($0.obeyed, $0.pending) = ([nonce], 1) }
        #expect(states() == [.obeyed, .pending])
        try test.revoke()
        #expect(states() == [.obeyed, .pending])
    }

    /// No machine obeys it.
    @Test func `an order by another's nonce is none`() throws {
        let nonce = try test.order(wipe, 1)
        let content = Order(.checkIn).json.encoded()
        let statement = Statement(
            of: content, organization: test.organization, audience: .machine(try test.machine),
            name: nonce, serial: 1, issued: test.now, expires: test.now + 60)
        try test.directory.write(
            "orders/x.json", Envelope(.order, statement, content: content).encoded())
        let book = test.survey.orders
        #expect(book.orders.map(\.order) == [wipe])
        #expect(book.unusable.map(\.reason) == [Refusal.otherNonce.description])
    }

    /// Machines forget orders that have expired.
    @Test func `what was obeyed stays obeyed when the machine has forgotten it`() throws {
        let old = test.now - 40 * 86_400
        let nonce = try test.order(wipe, 1, issued: old)
        let machine = try test.machine
        try test.report([:], issued: old + 60) { $0.obeyed = [nonce, "../../x"] }
        let next = MachineStatus(version: "1", host: "pc", workspace: "work")
        try test.directory.keepObeyed(of: machine, before: next)
        try test.report([:])
        #expect(states() == [.obeyed])
        #expect(try attention() == [])
        #expect(
            try test.directory.files(below: OrganizationDirectory.obeyed)
                == [test.directory.obeyedFile(machine, nonce)])
        // It counts by its signature, not by its place.
        try test.directory.write(test.directory.obeyedFile(machine, nonce), Array("{}".utf8))
        #expect(states() == [.expired])
        #expect(try attention() == [.expired([nonce])])
    }

    @Test func `an order that expired unheard is told until it is signed again`() throws {
        let old = test.now - 40 * 86_400
        let nonce = try test.order(wipe, 1, issued: old)
        try test.order(Order(.leave), 2, issued: old)
        try test.order(Order(.lock), 3, issued: old, keys: 0)
        try test.report([:], issued: old - 60)
        #expect(try attention().last == .expired([nonce]))
        try test.revoke()
        #expect(try attention() == [.expired([nonce])])
        #expect(test.survey.orders.orders.map(\.isUnheard) == [true, false, false])
        try test.order(wipe, 4)
        #expect(try attention() == [])
        // It has not left, since it reports.
        try test.report([:], issued: test.now - 60)
        #expect(test.survey.orders.orders[1].isUnheard)
    }

    @Test func `a withdrawal that was obeyed counts, unless it came too late`() throws {
        let nonce = try test.order(wipe, 1)
        let target = try #require(Bytes16(hex: nonce))
        let withdrawal = try test.order(Order(withdrawing: target), 2)
        try test.report([:])
        #expect(states() == [.pending, .pending])
        #expect(test.survey.orders.orders[0].isTakenBack)
        try test.report([:]) { $0.obeyed = [withdrawal] }
        #expect(states() == [.withdrawn, .obeyed])
        #expect(!test.survey.orders.orders[1].isLate)
        try test.report([:]) { $0.obeyed = [withdrawal, nonce] }
        #expect(states() == [.obeyed, .obeyed])
        #expect(test.survey.orders.orders[1].isLate)
        // Without enough signatures it says nothing.
        try test.order(Order(withdrawing: target), 2, keys: 1)
        try test.report([:])
        #expect(!test.survey.orders.orders[0].isTakenBack)
    }

    @Test func `an order that is taken back is not overdue, nor does it expire unheard`() throws {
        let old = test.now - 3 * 86_400
        let nonce = try test.order(wipe, 1, issued: old)
        try test.report([:])
        #expect(try attention() == [.overdue([nonce])])
        try test.order(Order(withdrawing: try #require(Bytes16(hex: nonce))), 2)
        #expect(try attention() == [])
        try test.order(wipe, 1, issued: old, days: 1)
        #expect(try attention() == [])
        #expect(!test.survey.orders.orders[0].isUnheard)
    }
}

@Suite struct HeldBackTests {
    let test: TestDirectory
    let wipe = Order(.wipe, account: Bytes16(high: 3, low: 4))

    init() throws {
        test = try TestDirectory()
        try test.signRoot()
    }

    private func sent() throws -> Set<Order.Action> {
        let bundle = try test.directory.bundles(at: test.now)[.machine(try test.machine)]
        return Set(
            try bundle?.envelopes.map { try Order(parsing: $0.content).action } ?? [])
    }

    @Test func `a machine leaves once it has told that it obeyed its wipes`() throws {
        try test.order(Order(.leave), 1)
        #expect(try sent() == [.leave])
        let nonce = try test.order(wipe, 2, keys: 1)
        #expect(try sent() == [])
        try test.order(wipe, 2)
        #expect(try sent() == [.wipe])
        try test.report([:])
        #expect(try sent() == [.wipe])
        #expect(test.survey.orders.orders[0].isHeldBack)
        try test.report([:]) { $0.obeyed = [nonce] }
        #expect(try sent() == [.wipe, .leave])
        #expect(!test.survey.orders.orders[0].isHeldBack)
    }

    private func state() -> SurveyedMachine.State { test.survey.machines[0].state }

    @Test func `a machine is retired once it has obeyed all but the order to leave`() throws {
        let nonce = try test.order(wipe, 1)
        try test.order(Order(.leave), 2)
        func report(_ obeyed: [String], issued: Int64? = nil, _ accounts: [Bytes16] = []) throws {
            try test.report([:], issued: issued) { status in
                status.obeyed = obeyed
                status.accounts = accounts.map {
                    .init(id: $0, name: "ann@contoso.com", objectID: "", window: .locked)
                }
            }
        }
        try report([])
        #expect(state() == .compliant)
        try report([nonce])
        #expect(state() == .retired)
        // It reports no more.
        try report([nonce], issued: test.now - 8 * 86_400)
        #expect(state() == .retired)
        // What was registered since is not wiped.
        try report([nonce], [Bytes16(high: 3, low: 5)])
        #expect(state() == .attention)
        try report([nonce])
        try test.order(Order(.wipe, account: Bytes16(high: 3, low: 5)), 3, keys: 1)
        #expect(state() == .compliant)
        try test.order(Order(.wipe, account: Bytes16(high: 3, low: 5)), 3)
        #expect(state() == .compliant)
        try test.revoke()
        #expect(state() == .revoked)
    }

    @Test func `a machine without an order to leave is not retired`() throws {
        let nonce = try test.order(wipe, 1)
        try test.report([:]) { $0.obeyed = [nonce] }
        #expect(state() == .compliant)
        let leave = try #require(Bytes16(hex: try test.order(Order(.leave), 2)))
        #expect(state() == .retired)
        try test.order(Order(withdrawing: leave), 3)
        #expect(state() == .compliant)
    }

    @Test func `what was withdrawn is sent no more`() throws {
        let target = try #require(Bytes16(hex: try test.order(wipe, 1)))
        try test.order(Order(withdrawing: target), 2, keys: 1)
        #expect(try sent() == [.wipe])
        try test.order(Order(withdrawing: target), 2)
        #expect(try sent() == [.withdraw])
    }
}
