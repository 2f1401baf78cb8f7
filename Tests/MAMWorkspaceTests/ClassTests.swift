import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Classes that directories ask for, and those that a change of policy gives to all files.
@Suite struct ClassTests {
    private func fileClass(_ name: String, in it: TestWorkspace) throws -> ProtectionClass? {
        try it.protection(name).fileClass
    }

    /// Made as a program makes it, in a directory or at the top.
    private func create(_ name: String, in parent: UInt64, of it: TestWorkspace) throws {
        let made = try Creator(it.tree).create(
            name, in: parent, mode: 0o600, flags: O_RDWR, for: it.caller)
        Handles(it.tree).release(made.handle)
        it.forget(made.entry)
    }

    @Test(
        arguments: [
            ("afterDeviceRestart", .complete, .complete),
            ("afterDeviceRestart", .completeUnlessOpen, .completeUnlessOpen),
            ("whenDeviceLocked", .completeUntilFirstUserAuthentication, .complete),
        ] as [(String, ProtectionClass, ProtectionClass)])
    func `a directory makes new files stricter than policy, and never laxer`(
        policy: String, asked: ProtectionClass, expected: ProtectionClass
    ) throws {
        let it = try TestWorkspace { $0.policy = policy }
        try it.places.makeDirectory("below")
        try it.withEntry("below") { below in
            try Classes(it.tree).setChildClass(asked, of: below.entry.inode)
            try create("new", in: below.entry.inode.node, of: it)
        }
        #expect(try fileClass("below/new", in: it) == expected)
    }

    @Test func `a stricter policy reaches every file, and a lock closes them then`() throws {
        let it = try TestWorkspace { $0.policy = "afterDeviceRestart" }
        try it.places.makeDirectory("below")
        for name in ["one", "below/two"] { try it.makeFile(name, pattern(5000)) }
        try it.makeFile("plain", of: "", pattern(10))
        let plain = try it.places.stored("plain")
        PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("whenDeviceLocked"))
        #expect(it.updateClasses())
        for name in ["one", "below/two"] {
            #expect(try fileClass(name, in: it) == .complete)
            #expect(try it.content(name) == pattern(5000))
        }
        #expect(try it.places.stored("plain") == plain)
        Lock(it.tree).lock(it.ann, now: true)
        #expect(refusal { _ = try it.content("below/two") } == .noKey)
        let again = try TestWorkspace(in: it.places)
        #expect(try again.content("below/two") == pattern(5000))
    }

    @Test func `a pass that is ended, or finds a closed window, is not whole`() throws {
        let it = try TestWorkspace { $0.policy = "afterDeviceRestart" }
        for name in ["one", "two"] { try it.makeFile(name, pattern(100)) }
        PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("whenDeviceLocked"))
        #expect(!it.updateClasses(goesOn: false))
        let asked = try ["one", "two"].map { try fileClass($0, in: it) }
        #expect(asked.allSatisfy { $0 == .completeUntilFirstUserAuthentication })
        Lock(it.tree).lock(it.ann, now: true)
        #expect(!it.updateClasses())
        #expect(it.updateClasses(ofAll: false))
    }

    @Test func `a disk that does not take the change leaves the old class, or the new one`() throws
    {
        let it = try TestWorkspace { $0.policy = "afterDeviceRestart" }
        var results: Set<Bool> = []
        for step in 1...50 {
            PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("afterDeviceRestart"))
            try it.makeFile("file\(step)", pattern(5000))
            PolicyChange(it.tree).replacePolicies(try TestWorkspace.book("whenDeviceLocked"))
            Faults.arm(.any, nth: step, times: 1, error: .noSpace)
            results.insert(it.updateClasses())
            let hasFailed = Faults.disarm()
            #expect(try it.content("file\(step)") == pattern(5000))
            if !hasFailed { break }
        }
        #expect(results == [true, false])
        #expect(try it.verify().isEmpty)
    }

    @Test func `a file that is being mended keeps its header`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(100))
        let before = try it.places.stored("file")
        try it.withEntry("file") { found in
            found.entry.inode.withState { $0.isHeld = true }
            let error = refusal {
                try Classes(it.tree).changeHeader(of: found.entry.inode) {
                    file throws(VaultError) in
                    try FileClasses(it.vault).setClass(.completeUnlessOpen, of: file)
                }
            }
            #expect(error == .accessDenied)
        }
        #expect(try it.places.stored("file") == before)
    }
}
