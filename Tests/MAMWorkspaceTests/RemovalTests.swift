import Glibc
import MAMFormat
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Removing the files of one owner from the tree.
@Suite struct RemovalTests {
    private let it: TestWorkspace
    private let anns = ["one", "below/two", "below/again", ".mamd/kept"]

    init() throws {
        it = try TestWorkspace()
        try it.places.makeDirectory("below")
        for name in ["one", "below/two", ".mamd/kept"] { try it.makeFile(name, pattern(5000)) }
        link(it.places.path("below/two"), it.places.path("below/again"))
        try it.makeFile("bobs", of: "bob@contoso.com", pattern(7))
        try it.makeFile("plain", of: "", pattern(8))
        try it.places.put(pattern(9), at: "below/foreign")
    }

    private func removeAnns(in it: TestWorkspace) -> RemovedFiles {
        Removal(it.tree).removeFiles(
            where: { $0.header.owner.name == "ann@contoso.com" }, progressed: { _ in })
    }

    private func expectOthers(in it: TestWorkspace) throws {
        #expect(try it.content("bobs") == pattern(7))
        #expect(try it.content("plain") == pattern(8))
        #expect(try it.content("below/foreign") == pattern(9))
    }

    @Test func `all names go, wherever they are, and the kernel is told of each`() throws {
        let files = removeAnns(in: it)
        #expect(files.isComplete && files.count == 4 && files.leftCount == 0)
        #expect(anns.allSatisfy { !it.places.exists($0) })
        let told = it.cache.calls.compactMap { call in
            if case .name(let name, _) = call { name.shown } else { nil }
        }
        #expect(told.sorted() == ["again", "kept", "one", "two"])
        try expectOthers(in: it)
        #expect(it.tree.table.count == 1)
    }

    @Test func `what cannot be removed is named, and the rest goes`() throws {
        Faults.arm(.remove, nth: 1, error: .ioError)
        var files = removeAnns(in: it)
        #expect(Faults.disarm())
        #expect(!files.isComplete && files.leftCount == 4 && files.count == 0)
        #expect(files.left.map(\.shown).sorted() == anns.sorted())
        files = removeAnns(in: it)
        #expect(files.isComplete && files.count == 4)
        try expectOthers(in: it)
    }

    @Test func `a file that is open goes all the same`() throws {
        try it.withHandle("one") { _ in
            #expect(removeAnns(in: it).isComplete)
            #expect(!it.places.exists("one"))
        }
    }

    @Test func `where nothing may be written nothing goes`() throws {
        let readOnly = try TestWorkspace(in: it.places) { $0.isReadOnly = true }
        #expect(!removeAnns(in: readOnly).isComplete)
        #expect(anns.allSatisfy { it.places.exists($0) })
    }

    @Test func `a daemon that stops has not removed all`() throws {
        it.tree.beginStopping()
        #expect(!removeAnns(in: it).isComplete)
        #expect(anns.allSatisfy { it.places.exists($0) })
    }
}
