// Sealed files whose keys are elsewhere.

import Glibc
import MAMFormat
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@Suite("Sealed files whose keys are elsewhere")
struct UnopenedTests {
    private static func bob() throws -> Identity { try Identity(name: "bob@contoso.com") }

    /// A file that is sealed for Bob with keys that another machine has.
    private static func put(_ names: [String], into test: TestVault) throws {
        let other = try TestVault(multiManagedIdentities: true)
        _ = try Registration(other.tree).register(bob(), user: 1000, passphrase: nil)
        for name in names {
            _ = try other.makeFile(name, owner: bob(), "Bob's")
            let bytes = try readSmallFile("\(other.path)/\(name)", maximumByteCount: 1 << 20)
            let copy = try test.descriptor(name)
            try bytes.span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(copy.raw, from: bytes, at: 0)
            }
        }
    }

    private static func found(
        in test: TestVault, toldTo user: UInt32?
    ) throws -> UnopenedFiles {
        try Unopened(test.tree).unopenedFiles(of: bob(), toldTo: user) { true }
    }

    @Test("a user is told of their own, and of others that there are some")
    func othersAreHidden() throws {
        let test = try TestVault()
        try Self.put(["theirs", "mine"], into: test)
        let me = geteuid()
        // A user's own daemon has that user's files alone.
        let isShared = me == 0 && chown("\(test.path)/theirs", 1001, 1001) == 0
        test.serve()
        let mine = try Self.found(in: test, toldTo: me)
        #expect((mine.count, mine.hasHidden) == (isShared ? 1 : 2, isShared))
        if isShared { #expect(mine.example == ByteString("mine")) }
        let all = try Self.found(in: test, toldTo: nil)
        #expect((all.count, all.hasHidden) == (2, false))
        #expect([ByteString("theirs"), ByteString("mine")].contains(all.example))
        let none = try Self.found(in: test, toldTo: 7)
        #expect(none.count == 0 && none.example == nil && !none.isEmpty)
    }

    @Test("a search that was cut short is none that found nothing")
    func cutShort() throws {
        let test = try TestVault()
        #expect(throws: SearchEnd.cutShort) { try Self.found(in: test, toldTo: nil) }
        test.serve()
        #expect(try Self.found(in: test, toldTo: nil).isEmpty)
        Faults.arm(.list, nth: 1, error: .ioError)
        #expect(throws: SearchEnd.unreadable) { try Self.found(in: test, toldTo: nil) }
        #expect(Faults.disarm())
        test.tree.beginStopping()
        #expect(throws: SearchEnd.cutShort) { try Self.found(in: test, toldTo: nil) }
    }

    @Test("a user's next search begins no sooner than its last one took")
    func searchesPause() throws {
        let test = try TestVault()
        test.serve()
        let isOthersInTime = try inOneOfFiveTries {
            test.vault.walks.claims.inTurn(of: 4711) { Deadline(milliseconds: 400).wait() }
            let pause = Deadline(milliseconds: 380)
            _ = try Self.found(in: test, toldTo: 4712)
            let isInTime = !pause.hasPassed
            _ = try Self.found(in: test, toldTo: 4711)
            #expect(pause.hasPassed)
            return isInTime
        }
        #expect(isOthersInTime)
    }

    @Test(
        "nobody waits for another's search, and it is not made again at once",
        arguments: [true, nil])
    func oneSearch(found: Bool?) throws {
        let test = try TestVault()
        test.serve()
        _ = try test.wipe()
        try Self.put(["file"], into: test)
        var begins = false
        _ = test.vault.walks.claims.needsImport {
            begins = true
            // Another one searches.
            #expect(!Unopened(test.tree).needsImport)
            return nil
        }
        #expect(begins)
        test.vault.walks.claims.forgetImportNeed()
        if found == nil { Faults.arm(.list, nth: 1, error: .ioError) }
        #expect(Unopened(test.tree).needsImport == (found ?? false))
        Faults.disarm()
        if found == true { unlink("\(test.path)/file") }
        #expect(Unopened(test.tree).needsImport == (found ?? false))
    }

    @Test("only a whole tree without any is never searched again", arguments: [true, false, nil])
    func searchedAgain(found: Bool?) throws {
        var need = ImportNeed(restSeconds: 0)
        let begins = need.beginSearch()
        #expect(begins)
        need.endSearch(found)
        #expect(need.isFound == (found ?? false))
        let beginsAgain = need.beginSearch()
        #expect(beginsAgain == (found != false))
    }
}
