import Glibc
import MAMModel
import MAMSystem
import MAMTree
import Testing
import WorkspaceSupport

/// What is forgotten when too much is known, and waiting for a free descriptor.
@Suite struct EvictorTests {
    /// Ten files in a directory, all known by one look-up each, in the order of their numbers.
    private func makeKnown(_ it: TestWorkspace) throws -> (directory: Inode, files: [Inode]) {
        try it.places.makeDirectory("below")
        let directory = try Lookup(it.tree).lookUp("below", in: InodeTable.rootNode).inode
        let files = try (0..<10).map { number in
            try it.makeFile("below/\(number)", of: "", [])
            return try Lookup(it.tree).lookUp("\(number)", in: directory.node).inode
        }
        return (directory, files)
    }

    /// Twelve inodes are known with the root, and half of the limit may stay.
    private func startEvictor(of it: TestWorkspace) throws -> Evictor {
        let evictor = Evictor(limit: 12)
        try evictor.start(it.tree)
        return evictor
    }

    @Test func `who has been known longest is to be forgotten, what stands in a directory first`()
        throws
    {
        let it = try TestWorkspace()
        let (directory, files) = try makeKnown(it)
        let evictor = try startEvictor(of: it)
        evictor.wake(knownCount: 13)
        #expect(it.cache.waitForCall())
        let chosen = files[..<4].reversed().map(\.node) + [directory.node, InodeTable.rootNode]
        #expect(it.cache.calls == [.prune(chosen)])
    }

    @Test func `what is open stays, and what is not goes in its place`() throws {
        let it = try TestWorkspace()
        let (directory, files) = try makeKnown(it)
        for file in files[..<4] { file.withState { $0.openCount += 1 } }
        let evictor = try startEvictor(of: it)
        evictor.wake(knownCount: 13)
        #expect(it.cache.waitForCall())
        let chosen = files[4..<8].reversed().map(\.node) + [directory.node, InodeTable.rootNode]
        #expect(it.cache.calls == [.prune(chosen)])
    }

    @Test func `where the kernel knows no other way the names of files are dropped`() throws {
        let it = try TestWorkspace()
        it.cache.knowNoPrune()
        let (directory, _) = try makeKnown(it)
        let evictor = try startEvictor(of: it)
        evictor.wake(knownCount: 13)
        for _ in 0..<5 { #expect(it.cache.waitForCall()) }
        let dropped = [3, 2, 1, 0].map { number in
            RecordingCache.Call.name(ByteString("\(number)"), in: directory.node)
        }
        #expect(Array(it.cache.calls[1...]) == dropped)
    }

    @Test func `at the limit nothing is forgotten`() throws {
        let it = try TestWorkspace()
        _ = try makeKnown(it)
        let evictor = try startEvictor(of: it)
        evictor.wake(knownCount: 12)
        evictor.wake(knownCount: 13)
        #expect(it.cache.waitForCall())
        #expect(it.cache.calls.count == 1)
    }

    @Test func `a call that finds no descriptor free is tried again, and not for ever`() {
        let evictor = Evictor(limit: 100)
        var calls = 0
        func open(_ failures: Int, _ error: Errno = .tooManyOpenFiles) throws(Errno) -> Int {
            calls = 0
            return try evictor.makingRoom { () throws(Errno) in
                calls += 1
                if calls <= failures { throw error }
                return calls
            }
        }
        #expect(throws: Never.self) { try open(2) }
        #expect(calls == 3)
        #expect(throws: Errno.tooManyOpenFiles) { try open(.max) }
        #expect(calls > 10)
        #expect(throws: Errno.noEntry) { try open(.max, .noEntry) }
        #expect(calls == 1)
    }
}
