import Glibc
import MAMModel
import MAMSystem
import MAMTree
import Testing
import WorkspaceSupport

/// Going through trees that are deep, and that change meanwhile.
@Suite struct WalkTests {
    private static let depth = 5000

    /// A chain of directories with one file in each, which no path leads through.
    private func makeChain(_ depth: Int, in places: TestDirectories) throws {
        var directory = try openFile(places.backing, O_RDONLY | O_DIRECTORY)
        for _ in 0..<depth {
            try #require(mkdirat(directory.raw, "d", 0o700) == 0)
            directory = try openFile(at: directory.raw, "d", O_RDONLY | O_DIRECTORY)
            _ = try openFile(at: directory.raw, "f", O_WRONLY | O_CREAT, mode: 0o600)
        }
    }

    @Test func `every level of a deep tree is met, and nothing stays known`() throws {
        let it = try TestWorkspace()
        try makeChain(Self.depth, in: it.places)
        var (directories, files, longest) = (0, 0, 0)
        let isWhole = Walk(it.tree).walk(while: { true }) { found in
            if found.entry.inode.isDirectory { directories += 1 } else { files += 1 }
            if directories % 100 == 0 { longest = max(longest, found.path.bytes.count) }
            return true
        }
        #expect(isWhole && directories == Self.depth && files == Self.depth)
        // Both ends of a path, the name and what stands for the middle.
        #expect(longest <= 2 * 2304 + 8)
        #expect(it.tree.table.count == 1)
    }

    @Test func `a directory that is moved away under the walk costs what is above it, and is told`()
        throws
    {
        let it = try TestWorkspace()
        try makeChain(300, in: it.places)
        try it.makeFile("last", of: "", [])
        let (from, to) = (String(repeating: "d/", count: 100), "moved")
        var (failures, files): ([Errno], Int) = ([], 0)
        let isWhole = Walk(it.tree).walk(while: { true }) { path, error in
            failures.append(error)
        } _: { found in
            if !found.entry.inode.isDirectory { files += 1 }
            if found.path.shown.count == 2 * 250 - 1 {
                rename(it.places.path(from), it.places.path(to))
            }
            return true
        }
        #expect(!isWhole)
        #expect(failures == [.busy])
        // Those of the levels between the two, in whatever order a directory tells them.
        #expect(files >= 200)
        #expect(it.tree.table.count == 1)
    }

    @Test func `a directory is removed under the walk, and the rest is met`() throws {
        let it = try TestWorkspace()
        for name in ["one", "two"] {
            try it.places.makeDirectory("\(name)/below")
            try it.makeFile("\(name)/below/file", of: "", [])
        }
        var met: [String] = []
        _ = Walk(it.tree).walk(while: { true }) { found in
            met.append(found.path.shown)
            let other = found.path.shown == "one" ? "two" : "one"
            if met.count == 1 { rename(it.places.path(other), "\(it.places.top)/gone") }
            return true
        }
        let first = try #require(met.first)
        #expect(met == [first, "\(first)/below", "\(first)/below/file"])
        #expect(it.tree.table.count == 1)
    }

    @Test func `the workspace's own directory is met by who asks for it alone`() throws {
        let it = try TestWorkspace()
        try it.places.put([1], at: ".mamd/work/own")
        try it.makeFile("file", of: "", [])
        func names(includingHidden: Bool) -> [String] {
            var names: [String] = []
            _ = Walk(it.tree).walk(includingHidden: includingHidden, while: { true }) { found in
                names.append(found.path.shown)
                return true
            }
            return names.sorted()
        }
        #expect(names(includingHidden: false) == ["file"])
        #expect(names(includingHidden: true) == [".mamd/work", ".mamd/work/own", "file"])
    }

    @Test func `it ends when it shall, and leaves out what is not entered`() throws {
        let it = try TestWorkspace()
        for name in ["one", "two"] { try it.places.makeDirectory("\(name)/below") }
        var met: [String] = []
        var isWhole = Walk(it.tree).walk(while: { met.count < 1 }) { found in
            met.append(found.path.shown)
            return true
        }
        #expect(!isWhole && met.count == 1)
        met = []
        isWhole = Walk(it.tree).walk(while: { true }, enters: { false }) { found in
            met.append(found.path.shown)
            return true
        }
        #expect(isWhole && met.sorted() == ["one", "two"])
        #expect(it.tree.table.count == 1)
    }

    @Test func `a part of the tree is met under the path that it is said to have`() throws {
        let it = try TestWorkspace()
        try it.places.makeDirectory("top/below")
        try it.makeFile("other", of: "", [])
        try it.withEntry("top") { top in
            var met: [String] = []
            _ = Walk(it.tree).walk(
                from: top.entry.inode, at: ByteString("here"), while: { true }
            ) { found in
                met.append(found.path.shown)
                return true
            }
            #expect(met == ["here/below"])
        }
    }
}
