import MAMModel
import Testing

@Suite struct SealedHomeTests {
    private func path(_ account: String) -> String {
        String(decoding: SealedHome(of: account, user: 7).path, as: UTF8.self)
    }

    @Test func `it is one directory below the user's, whatever the account's name is`() {
        #expect(path("ann@contoso.com") == ".contained-7/ann@contoso.com")
        #expect(path("a/../b") == ".contained-7/a_.._b")
        #expect([".", "..", ""].map(path) == ["_.", "_..", "_"].map { ".contained-7/" + $0 })
    }

    @Test func `the short directory is of the same length for each name, and another`() {
        let names = (0..<2000).map { "\($0)@contoso.com" } + [String(repeating: "x", count: 512)]
        let paths = names.map { SealedHome(of: $0, user: 7).shortTemporary }
        #expect(Set(paths).count == names.count)
        #expect(Set(paths.map(\.count)) == [".contained-7/t-12345678".utf8.count])
        #expect(SealedHome(of: "ann", user: 7).paths(of: .tmp).count == 2)
        #expect(SealedHome(of: "ann", user: 7).paths(of: .cache).count == 1)
    }
}
