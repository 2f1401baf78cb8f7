import Glibc
import MAMKeyring
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

private let ann = "ann@contoso.com"

/// Conversions that do not come to their end: the file is the old one or the new one, and whole.
@Suite struct BrokenConversionTests {
    @Test(arguments: [("", ann), (ann, "")])
    func `a call that fails at any step leaves the old file or the new one, and no copy`(
        from: String, to: String
    ) throws {
        let it = try TestWorkspace()
        let content = pattern(10_000)
        var owners: [String: String] = [:]
        for step in 1... {
            let name = "file\(step)"
            try it.makeFile(name, of: from, content)
            Faults.arm(.any, nth: step, times: 1, error: .noSpace)
            let error = refusal { try it.give(name, to: to) }
            let hasFailed = Faults.disarm()
            owners[name] = error == nil ? to : from
            #expect(try it.protection(name).owner.name == owners[name])
            #expect(try it.content(name) == content)
            #expect(try it.leftovers.isEmpty)
            if !hasFailed { break }
            #expect(step < 100)
        }
        #expect(owners.count > 5 && owners.values.contains(from))
        let again = try TestWorkspace(in: it.places)
        for (name, owner) in owners {
            #expect(try again.content(name) == content)
            #expect(try again.protection(name).owner.name == owner)
        }
        #expect(try again.verify().isEmpty)
    }

    @Test(arguments: [Faults.Kind.write, .sync, .rename])
    func `a disk that stays full leaves the old file, which a second try converts`(
        kind: Faults.Kind
    ) throws {
        let it = try TestWorkspace()
        try it.makeFile("file", of: "", pattern(10_000))
        Faults.arm(kind, nth: 1, error: .noSpace)
        #expect(refusal { try it.give("file", to: ann) } == .noSpace)
        #expect(Faults.disarm())
        #expect(try it.content("file") == pattern(10_000))
        try it.give("file", to: ann)
        #expect(try it.protection("file").isManaged)
        #expect(try it.content("file") == pattern(10_000))
    }

    @Test func `of a file with two names neither becomes another`() throws {
        let it = try TestWorkspace()
        try it.makeFile("one", of: "", pattern(5000))
        #expect(link(it.places.path("one"), it.places.path("two")) == 0)
        #expect(throws: VaultError.self) { try it.give("one", to: ann) }
        for name in ["one", "two"] {
            #expect(try it.content(name) == pattern(5000))
            #expect(try !it.protection(name).isManaged)
        }
        unlink(it.places.path("two"))
        try it.give("one", to: ann)
        #expect(try it.content("one") == pattern(5000))
    }

    @Test func `a file that came to the name meanwhile is not replaced`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", of: "", pattern(5000))
        try it.makeFile("other", of: "", pattern(99))
        let owner = try identity(ann)
        try it.withEntry("file") { found in
            rename(it.places.path("file"), it.places.path("moved"))
            rename(it.places.path("other"), it.places.path("file"))
            let error = refusal {
                try Owners(it.tree).give(
                    found.entry.inode, at: { () throws(VaultError) in EntryLocation(found) },
                    to: owner, by: giver(nobody))
            }
            #expect(error == .staleHandle)
        }
        #expect(try it.content("file") == pattern(99))
        #expect(try it.content("moved") == pattern(5000))
        #expect(try !it.protection("moved").isManaged && !it.protection("file").isManaged)
        #expect(try it.leftovers.isEmpty)
    }

    @Test func `while its window is closed a file stays as it is`() throws {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(5000))
        let before = try it.places.stored("file")
        Lock(it.tree).lock(it.ann, now: true)
        #expect(refusal { try it.give("file", to: "") } == .noKey)
        #expect(try it.places.stored("file") == before)
        #expect(try it.leftovers.isEmpty)
    }

    @Test(.enabled(if: geteuid() != 0, "root writes where nobody may"))
    func `in a directory that is read-only the old file stays`() throws {
        let it = try TestWorkspace()
        try it.places.makeDirectory("closed")
        try it.makeFile("closed/file", of: "", pattern(5000))
        chmod(it.places.path("closed"), 0o500)
        defer { chmod(it.places.path("closed"), 0o700) }
        #expect(refusal { try it.give("closed/file", to: ann) } == .accessDenied)
        #expect(try it.content("closed/file") == pattern(5000))
        #expect(try it.leftovers.isEmpty)
    }

    @Test func `what a killed daemon left of a copy is removed, but no copy in the making`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("file", of: "", pattern(5000))
        try it.places.put(pattern(10), at: ".mamd/work/convert-17-5")
        try it.withEntry("file") { found in
            let work = try openFile(it.places.work, O_RDONLY | O_DIRECTORY)
            let copy = try ConvertedCopy(in: work, of: found.entry.inode)
            Recover(it.tree).removeLeftovers()
            #expect(try it.leftovers.count == 1 && !it.leftovers.contains("convert-17-5"))
            withExtendedLifetime(copy) {}
        }
        #expect(try it.leftovers.isEmpty)
        #expect(try it.content("file") == pattern(5000))
    }
}
