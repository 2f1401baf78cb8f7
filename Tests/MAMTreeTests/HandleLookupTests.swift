import Glibc
import MAMModel
import MAMSystem
import MAMTree
import Testing
import WorkspaceSupport

/// Files that somebody has a number of, and whose names the kernel may have forgotten.
@Suite(.enabled(if: mayOpenHandles, "handles of files take CAP_DAC_READ_SEARCH"))
struct HandleLookupTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace()
        try it.places.makeDirectory("below")
        try it.makeFile("below/file", pattern(5000))
    }

    /// The number of what is at a path, which nobody knows by then.
    private func number(_ name: String) throws -> UInt64 {
        try it.withEntry(name) { $0.entry.inode.node }
    }

    /// The node that a number leads to.
    private func find(_ number: UInt64) throws -> UInt64 {
        let entry = try HandleLookup(it.tree).lookUp(".", in: number)
        defer { it.tree.leave(entry.inode.node) }
        return entry.inode.node
    }

    @Test func `a forgotten file is found, with the size that its readers see`() throws {
        let number = try number("below/file")
        #expect(it.tree.table.count == 1)
        let entry = try HandleLookup(it.tree).lookUp(".", in: number)
        #expect(entry.inode.node == number && entry.attributes.st_size == 5000)
        it.tree.leave(number)
        #expect(it.tree.table.count == 1)
        // By the next daemon too.
        let again = try TestWorkspace(in: it.places)
        #expect(try HandleLookup(again.tree).lookUp(".", in: number).inode.node == number)
    }

    @Test func `it is found where it was moved to`() throws {
        let number = try number("below/file")
        rename(it.places.path("below/file"), it.places.path("moved"))
        #expect(try find(number) == number)
        try it.places.makeDirectory("elsewhere")
        rename(it.places.path("moved"), it.places.path("elsewhere/again"))
        #expect(try find(number) == number)
    }

    @Test func `a deleted file is gone, and who has its inode number next is not it`() throws {
        let number = try number("below/file")
        unlink(it.places.path("below/file"))
        #expect(throws: Errno.staleHandle) { try find(number) }
        for next in 0..<100 {
            let name = "next\(next)"
            try it.makeFile(name, of: "", [])
            if try self.number(name) >> 32 == number >> 32 { break }
        }
        #expect(throws: Errno.staleHandle) { try find(number) }
    }

    @Test func `a name that is left of two leads to it`() throws {
        let number = try number("below/file")
        link(it.places.path("below/file"), it.places.path("other"))
        unlink(it.places.path("below/file"))
        #expect(try find(number) == number)
        #expect(it.tree.table.count == 1)
    }

    @Test func `what is outside of the tree, or the workspace's own, is not reached`() throws {
        let handles = try #require(it.tree.handles)
        let outside = "\(it.places.state)/outside"
        _ = try openFile(outside, O_RDWR | O_CREAT, mode: 0o600)
        try it.places.put([1], at: ".mamd/work/own")
        for path in [
            outside, it.places.state, it.places.path(".mamd/work/own"), it.places.path(".mamd"),
            it.places.top,
        ] {
            let number = try #require(handles.number(of: openFile(path, openPathOnly)))
            #expect(throws: Errno.staleHandle, "\(path)") { try find(number) }
        }
        #expect(it.tree.table.count == 1)
    }

    @Test func `a number of no file leads nowhere`() {
        for number in [2, 77, 1 << 32 - 1, 1 << 32, 77 << 32 | 5, .max] as [UInt64] {
            #expect(throws: Errno.staleHandle) { try find(number) }
        }
    }

    @Test func `the directory above one is found, and none above the root`() throws {
        let below = try Lookup(it.tree).lookUp("below", in: InodeTable.rootNode).inode
        try it.places.makeDirectory("top")
        let top = try number("top")
        func parent(of node: UInt64) throws -> UInt64 {
            let entry = try HandleLookup(it.tree).lookUp("..", in: node)
            defer { it.tree.leave(entry.inode.node) }
            return entry.inode.node
        }
        #expect(try parent(of: below.node) == InodeTable.rootNode)
        rename(it.places.path("below"), it.places.path("top/below"))
        #expect(try parent(of: below.node) == top)
        #expect(throws: Errno.staleHandle) { try parent(of: InodeTable.rootNode) }
        rename(it.places.path("top/below"), "\(it.places.state)/below")
        #expect(throws: Errno.staleHandle) { try parent(of: below.node) }
        it.tree.leave(below.node)
        #expect(it.tree.table.count == 1)
    }
}
