import MAMFleet
import MAMModel
import Testing

/// An order that brings an account's keys, and the code that leads to it.
@Suite struct ResetTests {
    private let contoso = Organization()
    private let account = Bytes16(high: 3, low: 4)
    private let key = [UInt8](1...32)
    private var reset: Order {
        Order(Order.Reset(publicKey: key, record: [1, 2, 3]), of: account)
    }

    @Test func `one key does not sign it, and two do`() throws {
        var standing = try contoso.standing()
        let now = Organization.start + 60
        #expect(throws: Refusal.self) {
            try standing.accept(
                contoso.ownOrder(reset, days: 3, by: [contoso.orders[0]]), at: now)
        }
        let order = contoso.ownOrder(reset, days: 3)
        let nonce = try order.statement().name
        #expect(try standing.accept(order, at: now) == .order(reset, nonce: nonce))
        #expect(throws: Refusal.obeyed) { try standing.accept(order, at: now) }
        // It waits for the person, over a restart.
        let again = try MachineStanding(standing.json)
        #expect(again.pending == [nonce: reset])
    }

    @Test func `what is not whole is refused`() throws {
        let whole = try #require(reset.json.object)
        #expect(try Order(parsing: reset.json.encoded()) == reset)
        for name in whole.keys {
            var members = whole
            members[name] = nil
            #expect(throws: Refusal.self) {
                try Order(parsing: JSONValue.object(members).encoded())
            }
        }
        for (name, value) in [
            ("request", base64([UInt8](1...31))), ("record", ""), ("more", "x"),
            ("record", base64([UInt8](repeating: 0, count: 1 + (256 << 10)))),
        ] {
            let changed = whole.merging([name: .string(value)]) { $1 }
            #expect(throws: Refusal.self) {
                try Order(parsing: JSONValue.object(changed).encoded())
            }
        }
        // What a reset brings is unknown to other orders.
        let lock = whole.merging(["action": "lock"]) { $1 }
        #expect(throws: Refusal.self) { try Order(parsing: JSONValue.object(lock).encoded()) }
    }

    @Test func `a code is of one request, account, machine and organisation`() throws {
        let all = Bytes16(high: 7, low: 7)
        let code = ResetCode(key, of: account, on: all, in: all)
        // The machine and the office may have different versions.
        #expect(code.description == "TB4N-PWOH-OUD3")
        #expect(code.isTyped(code.description.lowercased()))
        #expect(code.isTyped(code.description.filter { $0 != "-" }))
        #expect(!code.isTyped(""))
        #expect(!code.isTyped(String(code.description.dropLast())))
        #expect(!code.isTyped(code.description + "A"))
        for other in [
            ResetCode([UInt8](2...33), of: account, on: all, in: all),
            ResetCode(key, of: all, on: all, in: all),
            ResetCode(key, of: account, on: account, in: all),
            ResetCode(key, of: account, on: all, in: account),
        ] { #expect(!code.isTyped(other.description)) }
    }
}
