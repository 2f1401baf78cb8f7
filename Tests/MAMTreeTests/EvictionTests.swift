import Glibc
import MAMModel
import MAMTree
import MAMWorkspace
import Testing
import WorkspaceSupport

private let root = InodeTable.rootNode

/// What is thought when the kernel forgets fewer look-ups of a file than it was told.
@Suite struct EvictionTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace()
        try it.makeFile("file", [1, 2, 3])
    }

    private func lookUp(_ name: String = "file", times: Int = 1) throws -> Inode {
        let inodes = try (0..<times).map { _ in
            let inode = try Lookup(it.tree).lookUp(name, in: root).inode
            it.tree.table.sentBack.found(inode, for: it.caller)
            return inode
        }
        return try #require(inodes.last)
    }

    private func open(_ inode: Inode, _ flags: Int32 = O_RDWR) throws {
        Handles(it.tree).release(
            try Handles(it.tree).open(inode.node, flags: flags, for: it.caller))
    }

    /// By another thread than that of the look-ups.
    private func change(_ inode: Inode, otherThread: Int32 = 1) throws {
        let other = Caller(
            thread: it.caller.thread + otherThread, user: it.caller.user, group: it.caller.group,
            umask: 0)
        Handles(it.tree).release(
            try Handles(it.tree).open(inode.node, flags: O_RDWR, for: other))
    }

    /// Its look-ups may be from before a change. One of them is another thread's.
    private func changed(_ name: String = "file", lookUps: Int = 1) throws -> Inode {
        _ = try Lookup(it.tree).lookUp(name, in: root)
        let inode = try lookUp(name, times: lookUps)
        try change(inode)
        return inode
    }

    /// One look-up of it is under way, and the kernel may have an inode of its number.
    private func replaced() throws -> Inode {
        let inode = try changed()
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(inode.isReplaced)
        return inode
    }

    /// An inode that was replaced, and whose last open was answered `ESTALE`.
    private func sentBack() throws -> Inode {
        let former = try replaced()
        #expect(throws: Errno.staleHandle) { try open(former) }
        return former
    }

    @Test func `with a reply under way from before a change it is another inode`() throws {
        let inode = try replaced()
        #expect(throws: Errno.staleHandle) { try open(inode) }
        #expect(throws: Errno.staleHandle) {
            try Lookup(it.tree).attributes(of: inode.node, throughHandle: false, for: it.caller)
        }
        let next = try lookUp()
        #expect(next !== inode && next.node != inode.node)
        try open(next)
    }

    @Test func `a file that did not change, or is open, or of which no reply is under way stays`()
        throws
    {
        let inode = try lookUp(times: 2)
        try open(inode, O_RDONLY)
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(!inode.isReplaced)
        let handle = try Handles(it.tree).open(inode.node, flags: O_RDWR, for: it.caller)
        _ = try lookUp()
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(!inode.isReplaced)
        Handles(it.tree).release(handle)
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(!inode.isReplaced && it.tree.table.known(inode.id) == nil)
    }

    @Test(arguments: [false, true])
    func `of a thread's two look-ups after an ESTALE the kernel drops one`(opens: Bool) throws {
        _ = try sentBack()
        let inode = try changed(lookUps: 2)
        if opens { try open(inode) }
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(!inode.isReplaced)
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(inode.isReplaced)
    }

    @Test func `several at once are an eviction, also after an ESTALE`() throws {
        _ = try sentBack()
        let inode = try changed(lookUps: 2)
        it.tree.kernelForgot(inode.node, count: 2)
        #expect(inode.isReplaced)
    }

    @Test func `the only look-up may be dropped until the thread has another request`() throws {
        try it.makeFile("other", [4])
        let requests: [((Inode) throws -> Void)?] = [
            nil, { try open($0) }, { _ in _ = try lookUp("other") },
        ]
        for request in requests {
            _ = try sentBack()
            let inode = try changed()
            try request?(inode)
            it.tree.kernelForgot(inode.node, count: 1)
            #expect(inode.isReplaced == (request != nil))
        }
    }

    @Test func `it is not once the kernel has forgotten the former number`() throws {
        let former = try sentBack()
        let inode = try changed()
        it.tree.kernelForgot(former.node, count: 1)
        it.tree.kernelForgot(inode.node, count: 1)
        #expect(inode.isReplaced)
    }

    @Test func `none is dropped of another file, or after another thread's ESTALE`() throws {
        try it.makeFile("other", [4])
        let former = try replaced()
        #expect(throws: Errno.staleHandle) { try change(former, otherThread: 2) }
        for name in ["file", "other"] {
            let inode = try changed(name, lookUps: 2)
            it.tree.kernelForgot(inode.node, count: 1)
            #expect(inode.isReplaced)
        }
    }
}
