import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Files that an old header opens, sealed anew under keys that it does not.
@Suite struct KeyRenewalTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace { $0.policy = "afterDeviceRestart" }
    }

    private func header(_ name: String) throws -> FileHeader {
        try it.withEntry(name) { try #require($0.entry.inode.header) }
    }

    /// Policy becomes stricter, and headers say so; the keys are those of before.
    private func expose() throws {
        PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("whenDeviceLocked"))
        #expect(it.updateClasses())
        PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("whenDeviceLocked"))
    }

    private func sealAnew(goesOn: Bool = true) -> Bool {
        KeyRenewal(it.tree).sealAnew(
            of: { $0.sealing?.isExposed == true }, while: { goesOn })
    }

    @Test func `the content stays, and the old header opens none of it`() throws {
        try it.makeFile("file", pattern(20_000))
        let old = try it.places.stored("file")
        try expose()
        let before = try header("file")
        #expect(before.sealing?.isExposed == true)
        #expect(sealAnew())
        let after = try header("file")
        #expect(after.sealing?.isExposed == false && after.fileID != before.fileID)
        #expect(after.sealing?.protectionClass == .complete)
        #expect(try it.content("file") == pattern(20_000))
        #expect(try it.leftovers.isEmpty && !KeyRenewal(it.tree).isChangingKeys)
        try it.places.change("file") { $0.replaceSubrange(..<1024, with: old[..<1024]) }
        let again = try TestWorkspace(in: it.places)
        #expect(refusal { _ = try again.content("file") } == .badMessage)
    }

    @Test func `a file with two names is left, and done when it has one`() throws {
        try it.makeFile("file", pattern(100))
        try expose()
        link(it.places.path("file"), it.places.path("other"))
        #expect(!sealAnew())
        #expect(try header("file").sealing?.isExposed == true)
        #expect(try it.content("other") == pattern(100))
        unlink(it.places.path("other"))
        #expect(sealAnew())
        #expect(try header("file").sealing?.isExposed == false)
    }

    @Test func `a damaged file keeps its key, and holds up no other`() throws {
        for name in ["bad", "good"] { try it.makeFile(name, pattern(20_000)) }
        try expose()
        try it.places.change("bad") { $0[6000] ^= 1 }
        let before = try it.places.stored("bad")
        #expect(sealAnew())
        #expect(try header("good").sealing?.isExposed == false)
        #expect(try it.places.stored("bad") == before)
    }

    @Test func `who ends it finds the files whole`() throws {
        for name in ["one", "two"] { try it.makeFile(name, pattern(100)) }
        try expose()
        #expect(!sealAnew(goesOn: false))
        Lock(it.tree).lock(it.ann, now: true)
        #expect(!sealAnew())
        try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
        for name in ["one", "two"] { #expect(try it.content(name) == pattern(100)) }
    }

    @Test func `a call that fails at any step leaves a file that opens`() throws {
        for step in 1...100 {
            let name = "file\(step)"
            PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("afterDeviceRestart"))
            try it.makeFile(name, pattern(10_000))
            try expose()
            Faults.arm(.any, nth: step, times: 1, error: .noSpace)
            let isWhole = sealAnew()
            let hasFailed = Faults.disarm()
            #expect(try it.content(name) == pattern(10_000))
            #expect(try it.leftovers.isEmpty)
            #expect(try isWhole == (header(name).sealing?.isExposed == false))
            #expect(sealAnew())
            if !hasFailed { return }
        }
        Issue.record("there is no end of steps")
    }

    @Test func `a file that goes to another account has a new key at once`() throws {
        try it.makeFile("file", pattern(5000))
        let before = try header("file")
        try it.give("file", to: "bob@contoso.com")
        let after = try header("file")
        #expect(after.owner.name == "bob@contoso.com" && after.sealing?.isExposed == false)
        #expect(after.fileID != before.fileID)
        Lock(it.tree).lock(it.ann, now: true)
        #expect(try it.content("file") == pattern(5000))
    }
}
