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

/// Nobody waits for a check any more: it repairs nothing, and tells no result.
@Suite struct AbortedCheckTests {
    /// Of more than one step, with damage in the first that a repair would mend.
    private func damagedFile() throws -> (TestWorkspace, stored: [UInt8]) {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(3 << 20))
        try it.places.change("file") { bytes in
            for offset in 8192..<12_288 { bytes[offset] = 0 }
        }
        return (it, try it.places.stored("file"))
    }

    /// Checks until `stepCount` steps were asked for.
    private func check(_ it: TestWorkspace, stepCount: Int) throws -> CheckedFile {
        var steps = 0
        return try it.withEntry("file") { found in
            let check = FileCheck(it.tree)
            let item = try #require(try check.hold(found))
            defer { check.letGo(item) }
            return check.check(item, Repair(in: it.tree.root)) {
                steps += 1
                return steps <= stepCount
            } progressed: { _ in
            }
        }
    }

    @Test func `in the middle of a file nothing is told or mended`() throws {
        let (it, stored) = try damagedFile()
        #expect(try check(it, stepCount: 1).findings.isEmpty)
        #expect(try it.places.stored("file") == stored)
        #expect(try check(it, stepCount: 100).findings.map(\.problem) == [.zeros])
        #expect(try it.places.stored("file") != stored)
    }

    @Test func `a daemon that stops gives no result`() throws {
        let (it, stored) = try damagedFile()
        it.tree.beginStopping()
        #expect(refusal { _ = try it.verify(repair: true) } == .canceled)
        #expect(try it.places.stored("file") == stored)
    }

    @Test func `a listener that has gone ends the check`() throws {
        final class Gone: VerifyListener {
            func found(_ finding: Finding) -> Bool { false }
            func progressed(_ counts: VerifyCounts) -> Bool { false }
        }
        let (it, _) = try damagedFile()
        #expect(refusal { _ = try Verify(it.tree).verify(nil, repair: false, Gone()) } == .canceled)
    }

    @Test func `on a tree that is read-only nothing is to be repaired`() throws {
        let (it, stored) = try damagedFile()
        let readOnly = try TestWorkspace(in: it.places) { $0.isReadOnly = true }
        #expect(refusal { _ = try readOnly.verify(repair: true) } == .readOnly)
        #expect(try readOnly.verify().map(\.problem) == [.zeros])
        #expect(try it.places.stored("file") == stored)
    }
}
