// What is said where nobody is.

import MAMNats
import Testing

@Suite struct EngineFailureTests {
    @Test func nobodyThere() {
        let options = NatsOptions(
            servers: ["tls://127.0.0.1:1"], authority: nil,
            credentials: NatsCredentials(token: "x") { _ in nil }, inboxPrefix: "_INBOX.x",
            name: "test")
        #expect(throws: NatsFailure.self) { try NatsConnection(options) { _ in } }
    }

    @Test func noServerAtAll() {
        let options = NatsOptions(
            servers: [], authority: nil,
            credentials: NatsCredentials(token: "x") { _ in nil }, inboxPrefix: "_INBOX.x",
            name: "test")
        #expect(throws: NatsFailure.connection("no server is known")) {
            try NatsConnection(options) { _ in }
        }
    }
}
