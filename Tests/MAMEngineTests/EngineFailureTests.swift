// What is said where nobody is, or where an address is none.

import MAMEngine
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

    @Test(arguments: ["http://localhost", "ftp://localhost", "localhost", ""])
    func onlyHTTPS(base: String) {
        #expect(
            HTTPSource(base: base, authority: nil, agent: "test", maximumByteCount: 100) == nil)
    }

    @Test func anUnreachableWebServerIsToldAsSuch() throws {
        let source = try #require(
            HTTPSource(
                base: "https://127.0.0.1:1", authority: nil, agent: "test", maximumByteCount: 100))
        #expect(throws: HTTPSource.Failure.self) { try source.get("all.json", tag: nil) }
    }
}
