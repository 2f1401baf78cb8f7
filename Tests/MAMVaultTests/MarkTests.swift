import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@Suite struct MarkTests {
    private let value = Array("ann@contoso.com".utf8)
    private let place = MarkedInode(inode: 17, birth: 1_700_000_000_000_000_000)

    private func mark(_ marks: Marks) throws -> [UInt8] {
        try #require(marks.mark(.childOwner, of: value, at: place))
    }

    @Test func `the daemon knows its own mark again`() throws {
        let marks = try TestVault().tree.marks
        #expect(marks.isRight(try mark(marks), .childOwner, of: value, at: place))
    }

    @Test func `a mark is for one value, kind, file and time of its making`() throws {
        let marks = try TestVault().tree.marks
        let mark = try mark(marks)
        #expect(!marks.isRight(mark, .childOwner, of: Array("bob@contoso.com".utf8), at: place))
        #expect(!marks.isRight(mark, .childOwner, of: value + [0], at: place))
        #expect(!marks.isRight(mark, .childClass, of: value, at: place))
        for other in [
            MarkedInode(inode: 18, birth: place.birth),
            MarkedInode(inode: place.inode, birth: place.birth + 1),
        ] {
            #expect(!marks.isRight(mark, .childOwner, of: value, at: other))
        }
    }

    @Test func `another device's mark is none`() throws {
        let mark = try mark(TestVault().tree.marks)
        #expect(!(try TestVault().tree.marks.isRight(mark, .childOwner, of: value, at: place)))
    }

    @Test func `a plain file of an account is told from others`() throws {
        let test = try TestVault()
        let ann = try TestVault.annIdentity()
        let sealed = try test.makeFile("sealed", owner: ann, "x")
        #expect(!Protections(test.vault).isUnsealed(sealed.header))
        let plain = FileHeader(fileID: FileID(.zero), owner: ann, sealing: nil)
        #expect(Protections(test.vault).isUnsealed(plain))
        #expect(Protections(test.vault).protection(of: .protected(plain)).state == .unsealed)
        let personal = try test.makeFile("personal", owner: Identity(name: "p@home.example"), "x")
        #expect(!Protections(test.vault).isUnsealed(personal.header))
        #expect(!Protections(test.vault).isUnsealed(nil))
    }
}
