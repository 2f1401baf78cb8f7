// What libnats says, as what a caller decides by.

import CNats
import MAMModel
import Testing

@testable import MAMNats

@Suite struct NatsFailureTests {
    @Test(arguments: [
        (NATS_TIMEOUT, "", NatsFailure.timeout),
        (NATS_NO_RESPONDERS, "", .noStream),
        (NATS_MAX_PAYLOAD, "", .tooLong),
        (NATS_ERR, "Authorization Violation", .notAllowed("Authorization Violation")),
        (NATS_NOT_PERMITTED, "x", .notAllowed("x")),
        // A server without time for the handshake, which is no refusal.
        (
            NATS_CONNECTION_AUTH_FAILED, "Authentication Timeout",
            .connection("Authentication Timeout")
        ),
        (NATS_SSL_ERROR, "x", .untrusted("x")),
        (NATS_SECURE_CONNECTION_WANTED, "x", .plain),
        (NATS_ERR, "bad Certificate", .untrusted("bad Certificate")),
        (NATS_NO_SERVER, "x", .connection("x")),
        (NATS_NO_SERVER, "(conn.c:2088): x: y", .connection("x: y")),
    ])
    func statuses(status: natsStatus, detail: String, failure: NatsFailure) {
        #expect(NatsFailure(status, detail) == failure)
    }

    @Test func withoutDetailsLibnatsNamesTheStatus() {
        guard case .connection(let text) = NatsFailure(NATS_NO_SERVER, "") else {
            Issue.record("another failure")
            return
        }
        #expect(!text.isEmpty)
    }

    @Test func aStreamWithoutMostOfItsReplicasIsNotBelieved() throws {
        func cluster(_ leader: JSONValue, _ current: [Bool]) -> [String: JSONValue] {
            [
                "cluster": [
                    "leader": leader, "replicas": .array(current.map { ["current": .bool($0)] }),
                ]
            ]
        }
        try requireQuorum([:])
        try requireQuorum(cluster("a", []))
        try requireQuorum(cluster("a", [true, false]))
        #expect(throws: NatsFailure.self) { try requireQuorum(cluster("a", [false, false])) }
        #expect(throws: NatsFailure.self) { try requireQuorum(cluster(.null, [true, true])) }
        #expect(throws: NatsFailure.self) { try requireQuorum(cluster("", [true, true])) }
    }

    @Test func streams() {
        #expect(NatsFailure.stream(code: 10_071, "x").isOutrun)
        #expect(NatsFailure.stream(code: 10_059, "x").isUnknownStream)
        #expect(!NatsFailure.stream(code: 10_059, "x").isOutrun)
        #expect(!NatsFailure.timeout.isUnknownStream)
        #expect(NatsFailure.stream(code: 10_008, "x").mayPass)
        #expect(!NatsFailure.stream(code: 10_059, "x").mayPass)
        #expect(NatsFailure.noStream.mayPass)
        #expect(!NatsFailure.untrusted("x").mayPass)
    }
}

@Suite struct NatsHandlersTests {
    @Test func aCallThatComesLateFindsNothing() {
        let handlers = NatsHandlers()
        let first = handlers.add(.end { _ in })
        let second = handlers.add(.messages { _ in })
        #expect(first != 0 && second != 0 && first != second)
        #expect(handlers.handler(UnsafeMutableRawPointer(bitPattern: first)) != nil)
        handlers.remove([first])
        #expect(handlers.handler(UnsafeMutableRawPointer(bitPattern: first)) == nil)
        #expect(handlers.handler(UnsafeMutableRawPointer(bitPattern: second)) != nil)
        #expect(handlers.handler(nil) == nil)
        // A number is not given again.
        #expect(handlers.add(.end { _ in }) > second)
    }

    /// What a handler holds may remove another when it goes.
    @Test func aHandlerMayRemoveAnother() {
        let handlers = NatsHandlers()
        let inner = handlers.add(.end { _ in })
        handlers.remove([addHolder(of: inner, to: handlers)])
        #expect(handlers.handler(UnsafeMutableRawPointer(bitPattern: inner)) == nil)
    }

    private func addHolder(of entry: UInt, to handlers: NatsHandlers) -> UInt {
        let holder = Holder(handlers, entry)
        return handlers.add(.end { _ in withExtendedLifetime(holder) {} })
    }

    private final class Holder: Sendable {
        private let handlers: NatsHandlers
        private let entry: UInt

        init(_ handlers: NatsHandlers, _ entry: UInt) {
            (self.handlers, self.entry) = (handlers, entry)
        }

        deinit { handlers.remove([entry]) }
    }
}
