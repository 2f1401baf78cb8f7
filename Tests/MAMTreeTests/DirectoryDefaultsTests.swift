import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Testing
import WorkspaceSupport

/// Whose new files of a directory are.
@Suite struct DirectoryDefaultsTests {
    private let it: TestWorkspace
    private let directory: Inode

    init() throws {
        it = try TestWorkspace { $0.multiManagedIdentities = true }
        try it.places.makeDirectory("below")
        directory = try Lookup(it.tree).lookUp("below", in: InodeTable.rootNode).inode
    }

    private func set(_ name: String?) throws {
        let owner = try name.map { try identity($0) }
        try DirectoryDefaults(it.tree).setChildOwner(owner, of: directory)
    }

    /// Written by another program, before the daemon has looked.
    private func forge(_ owner: String) throws {
        try Array(owner.utf8).withUnsafeBytes {
            try setExtendedAttribute(it.places.path("below"), "user.mam.owner", to: $0)
        }
    }

    /// The owner of a file that a user's program makes there; it acts for nobody in particular.
    private func owner(forUser user: UInt32) -> String {
        let maker = Callers(it.vault).found(forThread: 0, user: user)
        return DirectoryDefaults(it.tree).owner(of: directory, by: maker).name
    }

    private var stranger: UInt32 { geteuid() + 77 }

    /// A second account of Ann's user, whose default is Ann.
    private func registerDora() throws {
        let dora = try identity("dora@contoso.com")
        _ = try Registration(it.tree).register(dora, user: geteuid(), passphrase: nil)
    }

    @Test func `files are the directory's owner's, and else their user's`() throws {
        try registerDora()
        #expect(owner(forUser: geteuid()) == "ann@contoso.com")
        #expect(owner(forUser: stranger).isEmpty)
        try set("DORA@contoso.com")
        #expect(owner(forUser: geteuid()).lowercased() == "dora@contoso.com")
        try set(nil)
        #expect(owner(forUser: geteuid()) == "ann@contoso.com")
        #expect(DirectoryDefaults(it.tree).childOwnerNote(of: directory) == nil)
    }

    @Test func `what is another user's account's gets nothing of others' files`() throws {
        try set("bob@contoso.com")
        #expect(owner(forUser: geteuid() + 1) == "bob@contoso.com")
        #expect(owner(forUser: stranger).isEmpty)
    }

    @Test func `it is known to the next daemon, and proved`() throws {
        try set("bob@contoso.com")
        let again = try TestWorkspace(in: it.places)
        let found = try Lookup(again.tree).lookUp("below", in: InodeTable.rootNode).inode
        let note = try #require(DirectoryDefaults(again.tree).childOwnerNote(of: found))
        #expect(note.isProved && note.value.name == "bob@contoso.com")
    }

    @Test func `what another program wrote makes no file plain, nor another account's`() throws {
        try registerDora()
        try forge("dora@contoso.com")
        #expect(owner(forUser: geteuid()) == "ann@contoso.com")
        // Whose files would be plain; root's accounts alone are anybody's to write for.
        #expect(owner(forUser: stranger) == (geteuid() == 0 ? "dora@contoso.com" : ""))
        #expect(DirectoryDefaults(it.tree).childOwner(of: directory) == nil)
    }

    @Test func `an owner that is no account counts only where it is proved`() throws {
        try forge("carl@example.org")
        #expect(owner(forUser: geteuid()) == "ann@contoso.com")
        #expect(owner(forUser: stranger).isEmpty)
        try set("carl@example.org")
        #expect(owner(forUser: stranger) == "carl@example.org")
    }

    @Test func `what makes no sense says nothing`() throws {
        for value in ["\u{1}", String(repeating: "x", count: 600)] {
            try forge(value)
            let again = try TestWorkspace(in: it.places)
            let found = try Lookup(again.tree).lookUp("below", in: InodeTable.rootNode).inode
            #expect(DirectoryDefaults(again.tree).childOwnerNote(of: found) == nil)
        }
    }

    @Test func `a new directory says the same, and is no surer of it`() throws {
        for isForged in [false, true] {
            if isForged { try forge("bob@contoso.com") } else { try set("bob@contoso.com") }
            let again = try TestWorkspace(in: it.places)
            let parent = try Lookup(again.tree).lookUp("below", in: InodeTable.rootNode).inode
            let name = "new\(isForged)"
            try it.places.makeDirectory(name)
            let new = try Lookup(again.tree).lookUp(name, in: InodeTable.rootNode).inode
            try DirectoryDefaults(again.tree).inheritOwner(from: parent, to: new)
            let note = ChildOwner.read(of: new.handle, again.tree.marks)
            #expect(note?.value?.name == "bob@contoso.com" && note?.isProved == !isForged)
        }
    }
}
