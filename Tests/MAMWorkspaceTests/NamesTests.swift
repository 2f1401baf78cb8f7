import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

private let root = InodeTable.rootNode
private let exchange: UInt32 = 2  // RENAME_EXCHANGE

/// Names that are made, moved and removed, over files that are open and over what is not shown.
@Suite struct NamesTests {
    private let it: TestWorkspace
    private var names: Names { Names(it.tree) }

    init() throws {
        it = try TestWorkspace()
        for name in ["one", "two"] { try it.makeFile(name, Array(name.utf8)) }
    }

    @Test func `a file that is replaced by a rename is read on by who has it open`() throws {
        try it.withHandle("two") { two in
            try names.rename("one", in: root, to: "two", in: root, flags: 0, for: it.caller)
            let old = try it.content(of: two)
            #expect(old == Array("two".utf8))
            try it.write(Array("2".utf8), to: two)
            #expect(try it.content("two") == Array("one".utf8))
            #expect(try it.withEntry("two") { $0.entry.inode !== two.inode })
        }
        #expect(!it.places.exists("one"))
        #expect(it.tree.table.count == 1)
    }

    @Test func `a file without a name is written and read until its last handle`() throws {
        try it.withHandle("one") { one in
            try names.unlink("one", in: root, for: it.caller)
            #expect(throws: Errno.noEntry) { try it.content("one") }
            try it.write(pattern(10_000), to: one)
            let content = try it.content(of: one)
            #expect(content == pattern(10_000))
            #expect(try Lookup(it.tree).entry(one.inode).attributes.st_nlink == 0)
        }
        #expect(it.tree.table.count == 1)
    }

    @Test func `names that are exchanged lead to each other's files, open or not`() throws {
        try it.withHandle("one") { one in
            try names.rename("one", in: root, to: "two", in: root, flags: exchange, for: it.caller)
            let content = try it.content(of: one)
            #expect(content == Array("one".utf8))
        }
        #expect(try it.content("one") == Array("two".utf8))
        #expect(try it.content("two") == Array("one".utf8))
    }

    @Test func `a link is the same file, and counts as a look-up`() throws {
        let node = try Lookup(it.tree).lookUp("one", in: root).inode.node
        let entry = try names.link(node, as: "again", in: root, for: it.caller)
        #expect(entry.inode.node == node && entry.attributes.st_nlink == 2)
        it.tree.leave(node)
        #expect(try it.tree.table.inode(node) === entry.inode)
        it.tree.leave(node)
        #expect(it.tree.table.count == 1)
        try names.unlink("one", in: root, for: it.caller)
        #expect(try it.content("again") == Array("one".utf8))
    }

    @Test func `the workspace's own directory is not there, and nothing takes its name`() throws {
        let hidden = Tree.hiddenName
        #expect(throws: Errno.noEntry) { try Lookup(it.tree).lookUp(hidden, in: root) }
        #expect(throws: Errno.noEntry) { try names.unlink(hidden, in: root, for: it.caller) }
        #expect(throws: Errno.noEntry) {
            try names.removeDirectory(hidden, in: root, for: it.caller)
        }
        for flags in [0, exchange] {
            #expect(throws: Errno.noEntry) {
                try names.rename(hidden, in: root, to: "x", in: root, flags: flags, for: it.caller)
            }
            #expect(throws: Errno.notPermitted) {
                try names.rename(
                    "one", in: root, to: hidden, in: root, flags: flags, for: it.caller)
            }
        }
        #expect(throws: Errno.notPermitted) {
            try names.makeDirectory(hidden, in: root, mode: 0o700, for: it.caller)
        }
        try it.places.makeDirectory("below")
        try it.withEntry("below") { below in
            let node = below.entry.inode.node
            it.tree.leave(
                try names.makeDirectory(hidden, in: node, mode: 0o700, for: it.caller).inode.node)
        }
        #expect(it.places.exists("below/\(hidden)"))
    }

    @Test func `a directory has its parent's class and owner, proved`() throws {
        let bob = try identity("bob@contoso.com")
        try it.places.makeDirectory("below")
        try it.withEntry("below") { below in
            try DirectoryDefaults(it.tree).setChildOwner(bob, of: below.entry.inode)
            try Classes(it.tree).setChildClass(.completeUnlessOpen, of: below.entry.inode)
            let made = try names.makeDirectory(
                "new", in: below.entry.inode.node, mode: 0o750, for: it.caller)
            #expect(DirectoryDefaults(it.tree).childOwner(of: made.inode)?.name == bob.name)
            #expect(Classes(it.tree).childClass(of: made.inode) == .completeUnlessOpen)
            it.forget(made)
        }
        #expect(try it.places.status("below/new").st_mode & 0o777 == 0o750)
        #expect(try it.verify().isEmpty)
    }

    @Test func `other kinds of files are made as they are asked for`() throws {
        it.forget(
            try names.makeNode(
                "pipe", in: root, mode: S_IFIFO | 0o600, device: 0, for: it.caller))
        let link = try names.makeSymbolicLink("link", in: root, to: "one", for: it.caller)
        let target = try names.target(of: link.inode.node)
        #expect(ByteString(cString: target).shown == "one")
        it.forget(link)
        #expect(try it.places.status("pipe").st_mode & S_IFMT == S_IFIFO)
        #expect(it.tree.table.count == 1)
    }

    @Test func `a home of contained programs is its user's, whoever comes first`() throws {
        let (user, other): (UInt32, UInt32) = (4711, 4712)
        func caller(_ user: UInt32) -> Caller {
            Caller(thread: 0, user: user, group: 0, umask: 0o022)
        }
        let home = ".contained-4711"
        let mine = caller(other)
        try it.makeFile("file", of: "me@home.example", [1])
        let node = try Lookup(it.tree).lookUp("file", in: root).inode.node
        #expect(throws: Errno.notPermitted) {
            try names.makeDirectory(home, in: root, mode: 0o700, for: mine)
        }
        #expect(throws: Errno.notPermitted) {
            try names.makeSymbolicLink(home, in: root, to: "/", for: mine)
        }
        #expect(throws: Errno.notPermitted) {
            try Creator(it.tree).create(home, in: root, mode: 0o600, flags: O_RDWR, for: mine)
        }
        #expect(throws: Errno.notPermitted) { try names.link(node, as: home, in: root, for: mine) }
        #expect(throws: Errno.notPermitted) {
            try names.rename("file", in: root, to: home, in: root, flags: 0, for: mine)
        }
        #expect(!it.places.exists(home))
        mkdir(it.places.path(home), 0o700)
        #expect(throws: Errno.notPermitted) {
            try names.rename(home, in: root, to: "away", in: root, flags: 0, for: mine)
        }
        #expect(throws: Errno.notPermitted) {
            try names.removeDirectory(home, in: root, for: mine)
        }
        try names.removeDirectory(home, in: root, for: caller(0))
        for free in [".contained-4712", ".contained-04711", ".contained-x", ".contained-"] {
            try it.tree.refuseReserved(free, in: it.tree.table.inode(root), for: other)
        }
        try it.tree.refuseReserved(home, in: it.tree.table.inode(root), for: user)
    }
}
