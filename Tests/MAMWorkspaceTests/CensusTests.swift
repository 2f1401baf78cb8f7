import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Counting files by owner, class and state.
@Suite struct CensusTests {
    private let it: TestWorkspace

    init() throws { it = try TestWorkspace() }

    private func files(_ owner: String, _ fileClass: ProtectionClass?, _ state: ProtectionState)
        throws -> [Int64]
    {
        let kind = Census.Kind(try identity(owner), fileClass, state)
        let sum = try CensusWalk(it.tree).census { _ in true }.sums[kind]
        return sum.map { [$0.files, $0.bytes] } ?? []
    }

    @Test func `each file counts once, with the size that its readers see`() throws {
        try it.places.makeDirectory("below")
        try it.makeFile("one", pattern(5000))
        try it.makeFile("below/two", pattern(1))
        try it.makeFile("bobs", of: "bob@contoso.com", pattern(7))
        try it.makeFile("plain", of: "", pattern(10))
        try it.places.put(pattern(99), at: "foreign")
        link(it.places.path("one"), it.places.path("below/again"))
        symlink("one", it.places.path("link"))
        let census = try CensusWalk(it.tree).census { _ in true }
        #expect(census.total.files == 5 && census.total.bytes == 5117)
        #expect(census.directories == 1 && census.others == 1)
        #expect(census.unreadable == 0 && census.uncounted == 0)
        #expect(try files("ann@contoso.com", .complete, .available) == [2, 5001])
        #expect(try files("bob@contoso.com", .complete, .available) == [1, 7])
        #expect(try files("", nil, .foreign) == [1, 99])
    }

    @Test func `a file's state is that of its window`() throws {
        try it.makeFile("one", pattern(10))
        Lock(it.tree).lock(it.ann, now: true)
        #expect(try files("ann@contoso.com", .complete, .closed) == [1, 10])
        #expect(try files("ann@contoso.com", .complete, .available).isEmpty)
    }

    @Test func `a part of the sums is none`() throws {
        try it.makeFile("one", pattern(10))
        it.tree.beginStopping()
        #expect(refusal { _ = try CensusWalk(it.tree).census { _ in true } } == .canceled)
    }
}
