import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// What a check tells of files that are whole, and of what is no file of the tree.
@Suite struct FindingTests {
    private func expect(
        _ it: TestWorkspace, _ problem: Finding.Problem, at path: String,
        _ outcome: Finding.Outcome, repaired: Finding.Outcome
    ) throws {
        for (repair, outcome) in [(false, outcome), (true, repaired)] {
            let findings = try it.verify(repair: repair)
            #expect(findings.map(\.problem) == [problem])
            #expect(findings.first?.path.shown == path)
            #expect(findings.first?.outcome == outcome)
        }
    }

    @Test func `a file without a header is noted, and stays`() throws {
        let it = try TestWorkspace()
        try it.places.put(pattern(5000), at: "foreign")
        try expect(it, .foreign, at: "foreign", .noted, repaired: .noted)
        #expect(try it.places.stored("foreign") == pattern(5000))
    }

    @Test func `plain content that was copied over a sealed file is damage`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(5000))
        try it.places.put(pattern(100), at: "file")
        #expect(try it.verify().map(\.problem) == [.header])
        #expect(refusal { _ = try it.content("file") } == .badMessage)
    }

    @Test func `a plain file that names an account is told, and left to its user`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", of: "carl@contoso.com", pattern(100))
        #expect(try it.verify().isEmpty)
        _ = try Registration(it.tree).register(
            try identity("carl@contoso.com"), user: geteuid() + 2, passphrase: nil)
        let advice = Finding.Outcome.left("mamctl protect seals it")
        try expect(it, .unsealed, at: "file", advice, repaired: advice)
        #expect(refusal { try it.withHandle("file") { _ in } } == .accessDenied)
        #expect(try it.content("file") == pattern(100))
    }

    @Test func `a file whose key is elsewhere is not taken for damaged`() throws {
        let (it, other) = (try TestWorkspace(), try TestWorkspace())
        try other.makeFile("file", pattern(5000))
        let bytes = try other.places.stored("file")
        try it.places.put(bytes, at: "file")
        try expect(it, .keyMissing, at: "file", .unchecked, repaired: .unchecked)
        #expect(try it.places.stored("file") == bytes)
        #expect(refusal { _ = try it.content("file") } == .noKey)
    }

    @Test func `of a locked account's file damage that takes the key is not seen, and counted so`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(20_000))
        try it.places.change("file") { $0[5000] ^= 1 }
        Lock(it.tree).lock(it.ann, now: true)
        let listener = FindingList()
        let counts = try Verify(it.tree).verify(nil, repair: true, listener)
        #expect(listener.findings.isEmpty)
        #expect(counts.uncheckedFiles == 1 && counts.files == 1 && counts.isWhole)
        try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
        #expect(try it.verify().map(\.problem) == [.blocks])
    }

    @Test func `what an interrupted conversion left is removed by a repair`() throws {
        let it = try TestWorkspace()
        try it.places.put(pattern(10), at: ".mamd/work/convert-1-2")
        let path = ".mamd/work/convert-1-2"
        try expect(it, .leftover, at: path, .left(nil), repaired: .repaired("removed"))
        #expect(try it.leftovers.isEmpty)
    }

    @Test func `a damaged copy of a keybag is told, and written again by a repair`() throws {
        let it = try TestWorkspace()
        let bags = "\(it.places.state)/keybags"
        let names = try entries(of: ByteString(bags)).map(\.shown).sorted()
        let name = try #require(names.first)
        let path = "../state/keybags/\(name)"
        try it.places.change(path) { $0[$0.count / 2] ^= 1 }
        let damaged = try it.places.stored(path)
        #expect(try it.verify().map(\.problem) == [.keybag])
        #expect(try it.places.stored(path) == damaged)
        #expect(try it.verify(repair: true).map(\.outcome) == [.repaired("written again")])
        #expect(try it.verify().isEmpty)
    }

    @Test func `one file is checked by its descriptor, and no other`() throws {
        let it = try TestWorkspace()
        for name in ["one", "two"] {
            try it.makeFile(name, pattern(5000))
            try it.places.change(name) { $0[100] ^= 1 }
        }
        let listener = FindingList()
        let counts = try Verify(it.tree).verify(
            openFile(it.places.path("one"), O_RDONLY), repair: false, listener)
        #expect(listener.findings.map(\.path.shown) == ["one"])
        #expect(!counts.isWhole)
    }
}
