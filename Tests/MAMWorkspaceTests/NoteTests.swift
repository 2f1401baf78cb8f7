import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// What directories say of their new files, and what others have written there.
@Suite struct NoteTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace()
        try it.places.makeDirectory("below")
    }

    /// Another program writes a directory's attribute.
    private func forge(_ name: String, _ value: [UInt8]) throws {
        let path = it.places.path("below")
        try value.withUnsafeBytes { try setExtendedAttribute(path, "user.mam.\(name)", to: $0) }
    }

    private func forge(_ name: String, _ value: String) throws {
        try forge(name, Array(value.utf8))
    }

    private func stored(_ name: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = bytes.withUnsafeMutableBytes { buffer in
            (try? extendedAttribute(
                it.places.path("below"), "user.mam.\(name)", into: buffer)) ?? 0
        }
        return Array(bytes[..<count])
    }

    private func outcomes(repair: Bool) throws -> [Finding.Problem: Finding.Outcome] {
        let findings = try it.verify(repair: repair)
        #expect(findings.allSatisfy { $0.path.shown == "below" })
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.problem, $0.outcome) })
    }

    @Test(
        arguments: [
            ("owner", "ann@contoso.com", .unproved, .repaired("set to ann@contoso.com")),
            ("owner", "carl@contoso.com", .unproved, .repaired("taken away")),
            ("owner", "\u{1}", .directoryOwner, .repaired("taken away")),
            ("class", "B", .unproved, .repaired("set to B")),
            ("class", "Z", .directoryClass, .repaired("set to A")),
            ("class", "AB", .directoryClass, .repaired("set to A")),
        ] as [(String, String, Finding.Problem, Finding.Outcome)])
    func `what nothing proves is told, and a repair proves or removes it`(
        name: String, value: String, problem: Finding.Problem, outcome: Finding.Outcome
    ) throws {
        try forge(name, value)
        #expect(try outcomes(repair: false) == [problem: .left(nil)])
        #expect(stored(name) == Array(value.utf8))
        #expect(try outcomes(repair: true) == [problem: outcome])
        #expect(try outcomes(repair: false).isEmpty)
        #expect(stored(name).isEmpty == (outcome == .repaired("taken away")))
    }

    @Test func `an account of another user is not given the directory`() throws {
        try forge("owner", "bob@contoso.com")
        let advice = "mamctl protect --only-new --owner bob@contoso.com, if it is so"
        #expect(try outcomes(repair: true) == [.unproved: .left(advice)])
        #expect(stored("owner") == Array("bob@contoso.com".utf8))
    }

    @Test func `what the daemon wrote is proved here, and nowhere else`() throws {
        let bob = try identity("bob@contoso.com")
        try it.withEntry("below") { found in
            try DirectoryDefaults(it.tree).setChildOwner(bob, of: found.entry.inode)
            try Classes(it.tree).setChildClass(.completeUnlessOpen, of: found.entry.inode)
        }
        #expect(try it.verify().isEmpty)
        let (owner, asked) = (stored("owner"), stored("class"))
        try it.places.makeDirectory("other")
        rename(it.places.path("below"), it.places.path("moved"))
        #expect(try it.verify().isEmpty)
        rename(it.places.path("other"), it.places.path("below"))
        try forge("owner", owner)
        try forge("class", asked)
        #expect(try it.verify().map(\.problem) == [.unproved, .unproved])
    }
}
