import MAMWeb
import Testing

@Suite struct HTTPSourceTests {
    @Test(arguments: ["http://localhost", "ftp://localhost", "localhost", ""])
    func onlyHTTPS(base: String) {
        #expect(
            HTTPSource(base: base, authority: nil, agent: "test", maximumByteCount: 100) == nil)
    }

    @Test func anUnreachableWebServerIsToldAsSuch() throws {
        let source = try #require(
            HTTPSource(
                base: "https://127.0.0.1:1", authority: nil, agent: "test", maximumByteCount: 100))
        #expect(throws: WebFailure.self) { try source.get("all.json", tag: nil) }
    }
}
