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

private let ann = "ann@contoso.com"

/// Files that are sealed, or made plain, in their place.
@Suite struct ConversionTests {
    private static let first = Layout.firstPayloadByteCount
    private static let edges = [
        0, 1, first - 1, first, first + 1, first + Layout.payloadByteCount - 1,
        first + Layout.payloadByteCount, first + Layout.payloadByteCount + 1, 1 << 20,
    ]

    @Test(arguments: edges)
    func `the content is the same sealed, and plain again`(size: Int) throws {
        let it = try TestWorkspace()
        let content = pattern(size)
        try it.makeFile("file", of: "", content)
        try it.give("file", to: ann)
        #expect(try it.protection("file").isManaged)
        #expect(try it.content("file") == content)
        if size > 16, size < 10_000 { #expect(try !stands(content, in: it.places.stored("file"))) }
        try it.give("file", to: "")
        #expect(try !it.protection("file").isManaged)
        #expect(try it.content("file") == content)
        #expect(try Array(it.places.stored("file").suffix(size)) == content)
        #expect(try it.leftovers.isEmpty)
    }

    @Test func `a file that another program put there is sealed`() throws {
        let it = try TestWorkspace()
        try it.places.put(pattern(5000), at: "file")
        try it.give("file", to: ann)
        #expect(try it.protection("file").owner.name == ann)
        #expect(try it.content("file") == pattern(5000))
    }

    @Test(arguments: [("", ann), (ann, "")])
    func `mode, times and attributes stay, and who knows the file knows it still`(
        from: String, to: String
    ) throws {
        let it = try TestWorkspace()
        try it.makeFile("file", of: from, pattern(5000))
        let path = it.places.path("file")
        try withUnsafeBytes(of: 7) { try setExtendedAttribute(path, "user.seven", to: $0) }
        chmod(path, 0o751)
        let time = timespec(tv_sec: 1_000_000_000, tv_nsec: 42)
        utimensat(AT_FDCWD, path, [time, time], 0)
        let before = try it.withEntry("file") { ($0.entry.inode.node, $0.entry.attributes) }
        try it.give("file", to: to)
        let after = try it.withEntry("file") { ($0.entry.inode.node, $0.entry.attributes) }
        #expect(before.1.st_mode == after.1.st_mode && before.1.st_uid == after.1.st_uid)
        #expect(before.1.st_mtim.tv_sec == after.1.st_mtim.tv_sec)
        #expect(before.1.st_mtim.tv_nsec == after.1.st_mtim.tv_nsec)
        #expect(before.1.st_size == after.1.st_size)
        var seven = 0
        try withUnsafeMutableBytes(of: &seven) { buffer in
            _ = try extendedAttribute(path, "user.seven", into: buffer)
        }
        #expect(seven == 7)
    }

    @Test(arguments: [("", ann), (ann, "")])
    func `a handle that is open reads on, and writes into the new file`(
        from: String, to: String
    ) throws {
        let it = try TestWorkspace()
        try it.makeFile("file", of: from, pattern(5000))
        try it.withHandle("file") { handle in
            let before = try it.withEntry("file") { $0.entry.attributes.st_ino }
            try it.give("file", to: to)
            #expect(try it.withEntry("file") { $0.entry.inode === handle.inode })
            #expect(try it.withEntry("file") { $0.entry.attributes.st_ino } == before)
            #expect(try it.content(of: handle) == pattern(5000))
            try it.write(Array("written".utf8), to: handle)
        }
        #expect(try it.content("file") == Array("written".utf8) + pattern(5000)[7...])
        let again = try TestWorkspace(in: it.places)
        #expect(try again.content("file") == Array("written".utf8) + pattern(5000)[7...])
    }
}
