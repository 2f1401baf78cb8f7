import Glibc
import MAMIdentity
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Files that only contained programs make, cut and write. This process is the contained one;
/// thread 0 stands for a program outside.
@Suite struct ContainedFilesTests {
    private let it: TestWorkspace
    private let outside = Caller(thread: 0, user: geteuid(), group: getegid(), umask: 0o022)
    private let text = Array("a secret of Ann's".utf8)

    init() throws {
        it = try TestWorkspace { $0.requiresContainment = true }
        try keepData(true)
        try act(as: .contained)
    }

    private func keepData(_ isKept: Bool) throws {
        PolicyChange(it.tree).replacePolicies(try TestWorkspace.book(keepsData: isKept))
    }

    private func act(as standing: Standing, for name: String = "ann@contoso.com") throws {
        let life = try #require(ProcessStatus(of: getpid())?.life)
        #expect(
            it.vault.identities.set(try identity(name), by: 0, for: life, standing: standing))
    }

    private func open(
        _ name: String, _ flags: Int32, for caller: Caller
    ) throws -> OpenHandle {
        // Known to the kernel, as long as a handle is open.
        let found = try Walk(it.tree).find(ByteString(name))
        return try Handles(it.tree).open(found.entry.inode.node, flags: flags, for: caller)
    }

    private func cut(_ name: String, for caller: Caller) throws {
        var change = AttributeChange()
        change.size = 0
        try it.withEntry(name) { found in
            _ = try Attributes(it.tree).change(found.entry.inode.node, nil, change, for: caller)
        }
    }

    private func make(_ name: String, for caller: Caller) throws {
        let made = try Creator(it.tree).create(
            name, in: InodeTable.rootNode, mode: 0o600, flags: O_RDWR, for: caller)
        Handles(it.tree).release(made.handle)
        it.tree.leave(made.entry.inode.node)
    }

    @Test func `a program outside makes none, and so has no handle of one`() throws {
        #expect(throws: Errno.accessDenied) { try make("new", for: outside) }
        #expect(!it.places.exists("new"))
        try make("new", for: it.caller)
    }

    @Test func `a program outside does not destroy one`() throws {
        try it.makeFile("file", text)
        for flags in [O_RDWR | O_TRUNC, O_WRONLY | O_TRUNC, O_RDONLY | O_TRUNC] {
            #expect(throws: Errno.accessDenied) { try open("file", flags, for: outside) }
        }
        #expect(throws: Errno.accessDenied) { try cut("file", for: outside) }
        #expect(try it.content("file") == text)
        try cut("file", for: it.caller)
        #expect(try it.content("file").isEmpty)
    }

    @Test func `nor does one that is contained for another account read or destroy it`() throws {
        try it.makeFile("file", text)
        try act(as: .contained, for: "bob@contoso.com")
        for flags in [O_RDONLY, O_RDWR, O_RDONLY | O_TRUNC, O_RDWR | O_TRUNC] {
            #expect(throws: Errno.accessDenied) { try open("file", flags, for: it.caller) }
        }
        #expect(throws: Errno.accessDenied) { try cut("file", for: it.caller) }
        try act(as: .contained)
        #expect(try it.content("file") == text)
    }

    @Test func `a contained program adds nothing to a file that is plain`() throws {
        try it.places.put(text, at: "foreign")
        for flags in [O_WRONLY, O_RDWR] {
            #expect(throws: Errno.accessDenied) { try open("foreign", flags, for: it.caller) }
        }
        #expect(throws: Errno.accessDenied) { try cut("foreign", for: it.caller) }
        let held = try open("foreign", O_RDWR, for: outside)
        #expect(throws: Errno.accessDenied) { try open("foreign", O_RDWR, for: it.caller) }
        #expect(throws: Errno.accessDenied) {
            try open("foreign", O_RDWR | O_TRUNC, for: it.caller)
        }
        Handles(it.tree).release(held)
        #expect(try it.content("foreign") == text)
        Handles(it.tree).release(try open("foreign", O_RDWR | O_TRUNC, for: it.caller))
        #expect(try it.protection("foreign").owner.name == "ann@contoso.com")
    }

    @Test func `a trusted program does not destroy one`() throws {
        try it.makeFile("file", text)
        try act(as: .trusted(.ownAccount))
        #expect(throws: Errno.accessDenied) { try open("file", O_RDWR | O_TRUNC, for: it.caller) }
        #expect(throws: Errno.accessDenied) { try cut("file", for: it.caller) }
        #expect(try it.content("file") == text)
    }

    @Test func `nothing is written beside a handle from before the policy`() throws {
        try keepData(false)
        try it.makeFile("file", text)
        let held = try open("file", O_RDONLY, for: outside)
        try keepData(true)
        #expect(try it.content("file") == text)
        for flags in [O_RDWR, O_RDWR | O_TRUNC] {
            #expect(throws: Errno.accessDenied) { try open("file", flags, for: it.caller) }
        }
        #expect(throws: Errno.accessDenied) { try cut("file", for: it.caller) }
        Handles(it.tree).release(held)
        Handles(it.tree).release(try open("file", O_RDWR, for: it.caller))
    }

    @Test func `contained programs write beside each other`() throws {
        try it.makeFile("file", text)
        let handles = try [O_RDONLY, O_RDWR, O_RDWR | O_TRUNC].map {
            try open("file", $0, for: it.caller)
        }
        try it.write(text, to: handles[2])
        #expect(try it.content(of: handles[0]) == text)
        for handle in handles { Handles(it.tree).release(handle) }
    }

    @Test func `an empty file that a program outside holds is not begun`() throws {
        _ = try openFile(it.places.path("empty"), O_RDWR | O_CREAT, mode: 0o600)
        let held = try open("empty", O_RDONLY, for: outside)
        #expect(throws: Errno.accessDenied) { try open("empty", O_RDWR, for: it.caller) }
        #expect(throws: Errno.accessDenied) { try open("empty", O_RDWR, for: outside) }
        Handles(it.tree).release(held)
        Handles(it.tree).release(try open("empty", O_RDWR, for: it.caller))
        #expect(try it.protection("empty").owner.name == "ann@contoso.com")
    }

    @Test func `a file is not given away while contained programs write it`() throws {
        try it.makeFile("file", text)
        let held = try open("file", O_RDWR, for: it.caller)
        _ = try it.withEntry("file") { found in
            #expect(throws: VaultError.self) {
                try Owners(it.tree).give(
                    found.entry.inode,
                    at: { () throws(VaultError) in throw VaultError(.noEntry) }, to: .nobody,
                    by: Giver(
                        Callers(it.vault).found(forThread: 0, user: getuid()), operation: "test",
                        process: getpid(), user: getuid(), override: "a test"))
            }
        }
        Handles(it.tree).release(held)
    }

    @Test func `of an account that is gone, a contained program leaves nothing`() throws {
        try it.makeFile("plain", of: "me@home.example", text)
        #expect(try Wipe(it.tree).wipe(it.ann, because: TestVault.reason).isComplete)
        #expect(throws: Errno.accessDenied) { try make("new", for: it.caller) }
        #expect(!it.places.exists("new"))
        for flags in [O_RDWR, O_RDWR | O_TRUNC] {
            #expect(throws: Errno.accessDenied) { try open("plain", flags, for: it.caller) }
        }
        #expect(throws: Errno.accessDenied) { try cut("plain", for: it.caller) }
        #expect(try it.content("plain") == text)
    }

    @Test func `a contained program stays one when its name becomes another user's`() throws {
        let life = try #require(ProcessStatus(of: getpid())?.life)
        let (carl, stranger) = (try identity("carl@contoso.com"), geteuid() + 7)
        #expect(it.vault.identities.set(carl, by: stranger, for: life, standing: .contained))
        _ = try Registration(it.tree).register(carl, user: stranger + 1, passphrase: nil)
        let found = Callers(it.vault).found(forThread: getpid(), user: stranger)
        #expect(found.isContained && found.identity.isNobody)
        #expect(throws: Errno.accessDenied) { try make("new", for: it.caller) }
    }
}
