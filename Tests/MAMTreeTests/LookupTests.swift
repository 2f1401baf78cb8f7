import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

private let root = InodeTable.rootNode

/// What the kernel gets to know of a name.
@Suite struct LookupTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace()
        try it.makeFile("file", pattern(5000))
    }

    private func lookUp(_ name: String) throws -> Entry {
        try Lookup(it.tree).lookUp(name, in: root)
    }

    @Test func `the size is what its readers see, whatever the file takes on the disk`() throws {
        try it.makeFile("plain", of: "", pattern(5000))
        try it.places.put(pattern(4000), at: "foreign")
        let sizes = try ["file", "plain", "foreign"].map { try lookUp($0).attributes.st_size }
        #expect(sizes == [5000, 5000, 4000])
        #expect(try it.places.status("file").st_size > 8192)
    }

    @Test func `a name counts one look-up each time, and a link is not followed`() throws {
        symlink("file", it.places.path("link"))
        let first = try lookUp("file").inode
        #expect(try lookUp("file").inode === first)
        let link = try lookUp("link")
        #expect(link.attributes.st_mode & S_IFMT == S_IFLNK && link.inode !== first)
        it.tree.forget(first.node, count: 2)
        it.tree.leave(link.inode.node)
        #expect(it.tree.table.count == 1)
        #expect(throws: Errno.noEntry) { try lookUp("nothing") }
        #expect(it.tree.table.count == 1)
    }

    @Test func `while a window is closed the kernel keeps nothing, and asks each time`() throws {
        #expect(try lookUp("file").cacheSeconds == Tree.cacheSeconds)
        Lock(it.tree).lock(it.ann, now: true)
        #expect(try lookUp("file").cacheSeconds == 0)
        let node = try lookUp("file").inode.node
        #expect(try lookUp("file").attributes.st_size == 5000)
        try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
        let entry = try Lookup(it.tree).attributes(of: node, throughHandle: false, for: it.caller)
        #expect(entry.cacheSeconds == Tree.cacheSeconds)
        it.tree.beginStopping()
        #expect(try lookUp("file").cacheSeconds == 0)
    }

    @Test func `attributes are refused through a handle once its writes could not be kept`() throws
    {
        try it.withHandle("file") { handle in
            func ask(throughHandle: Bool) throws {
                _ = try Lookup(it.tree).attributes(
                    of: handle.inode.node, throughHandle: throughHandle, for: it.caller)
            }
            try ask(throughHandle: true)
            Lock(it.tree).lock(it.ann, now: true)
            #expect(throws: Errno.noKey) { try ask(throughHandle: true) }
            try ask(throughHandle: false)
            it.tree.beginStopping()
            #expect(throws: Errno.notConnected) { try ask(throughHandle: true) }
        }
    }

    @Test func `an inode that was replaced is to be looked up again`() throws {
        let inode = try lookUp("file").inode
        inode.withState { it.tree.table.replace(inode, &$0) }
        #expect(throws: Errno.staleHandle) {
            try Lookup(it.tree).attributes(of: inode.node, throughHandle: false, for: it.caller)
        }
        #expect(try lookUp("file").inode !== inode)
    }

    @Test func `a directory's entries are looked up as their names are`() throws {
        try it.makeFile("other", pattern(9))
        let known = try lookUp("file").inode
        let stream = try Lookup(it.tree).openDirectory(root, for: it.caller)
        var found: [String: Inode] = [:]
        var failures: [Errno] = []
        try stream.read(from: 0) { item in
            do throws(Errno) {
                let entry = try Lookup(it.tree).lookUp(item, in: it.tree.table.inode(root))
                found[String(cString: item.name)] = entry.inode
            } catch { failures.append(error) }
            return true
        }
        #expect(found["file"] === known && found["other"]?.isUnread == true)
        #expect(found[Tree.hiddenName] == nil && failures == [.noEntry])
    }

    @Test func `a header that is read ahead is the same file's`() throws {
        try it.unnote("file")
        let stream = try Lookup(it.tree).openDirectory(root, for: it.caller)
        let parent = try it.tree.table.inode(root)
        var found: [Entry] = []
        try stream.read(from: 0) { item in
            guard case .opened(let opened) = Lookup(it.tree).lookAhead(item, in: parent) else {
                return true
            }
            // Another file comes to the name before its turn.
            try? it.makeFile("new", of: "", pattern(3))
            rename(it.places.path("new"), it.places.path("file"))
            if let entry = try? Lookup(it.tree).lookUp(item, in: parent, opened) {
                found.append(entry)
            }
            return true
        }
        #expect(found.map(\.attributes.st_size) == [5000])
        #expect(try lookUp("file").attributes.st_size == 3)
    }
}
