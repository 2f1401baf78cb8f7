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
