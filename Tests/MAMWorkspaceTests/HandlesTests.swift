import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Files that programs make, read and write, each request as the kernel sends it.
@Suite struct HandlesTests {
    @Test func `what a program writes is sealed on the disk and comes back`() throws {
        let it = try TestWorkspace()
        let text = Array("a secret of Ann's".utf8)
        let made = try Creator(it.tree).create(
            "new", in: InodeTable.rootNode, mode: 0o640, flags: O_RDWR, for: it.caller)
        try it.write(text, to: made.handle)
        Handles(it.tree).release(made.handle)
        it.tree.leave(made.entry.inode.node)
        #expect(try it.content("new") == text)
        #expect(try it.places.status("new").st_mode & 0o7777 == 0o640)
        #expect(try it.protection("new").owner.name == "ann@contoso.com")
        #expect(try !stands(text, in: it.places.stored("new")))
    }

    // An ordinary user's daemon acts as that user: there the kernel refuses all others.
    @Test(.enabled(if: geteuid() == 0, "only root's daemon acts as its callers"))
    func `another user neither changes a file nor cuts it off`() throws {
        let it = try TestWorkspace()
        let text = Array("a secret of Bob's".utf8)
        try it.makeFile("file", of: "bob@contoso.com", text)
        let other = Caller(thread: 0, user: geteuid() + 2, group: getegid(), umask: 0o022)
        try it.withEntry("file") { found in
            let node = found.entry.inode.node
            for flags in [O_WRONLY, O_RDWR, O_RDONLY | O_TRUNC, O_WRONLY | O_TRUNC] {
                #expect(throws: Errno.accessDenied) {
                    try Handles(it.tree).open(node, flags: flags, for: other)
                }
            }
            for size in [0, 5, Int64(text.count) + 1] {
                var change = AttributeChange()
                change.size = size
                #expect(throws: Errno.accessDenied) {
                    try Attributes(it.tree).change(node, nil, change, for: other)
                }
            }
        }
        #expect(try it.content("file") == text)
    }

    @Test func `a locked account's files are neither opened nor made`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(100))
        Lock(it.tree).lock(it.ann, now: true)
        #expect(throws: Errno.noKey) { try it.content("file") }
        #expect(throws: Errno.noKey) {
            try Creator(it.tree).create(
                "new", in: InodeTable.rootNode, mode: 0o600, flags: O_RDWR, for: it.caller)
        }
        #expect(!it.places.exists("new"))
    }
}
