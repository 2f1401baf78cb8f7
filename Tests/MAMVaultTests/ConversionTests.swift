import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

@Suite struct ConversionTests {
    private struct Case {
        let test: TestVault
        let file: VaultFile
        let target: Descriptor
        let conversion: Conversion

        func finish(_ putInPlace: () throws(VaultError) -> Void) throws(VaultError) -> Bool {
            try conversion.finish(holding: ReadWriteLock()) { _ throws(VaultError) in
                try putInPlace()
                return try systemCall { () throws(Errno) in
                    try openFile(test.path, O_RDONLY | O_DIRECTORY)
                }
            }
        }
    }

    private static let stranger = "me@example.org"

    private func begin(
        _ content: String, from: String, to: String
    ) throws -> Case {
        let test = try TestVault()
        let file = try test.makeFile("old", owner: try Identity(name: from), content)
        let target = try test.descriptor("new")
        let conversion = try Conversion(
            of: file, for: try Identity(name: to), asking: nil, into: target, in: test.vault)
        return Case(test: test, file: file, target: target, conversion: conversion)
    }

    @Test(arguments: [("ann@contoso.com", stranger), (stranger, "ann@contoso.com")])
    func `what is written between the copy and the end is in the new file`(from: String, to: String)
        throws
    {
        let it = try begin("0123456789", from: from, to: to)
        try it.conversion.copy()
        try it.file.write("late", at: 3)
        try it.file.truncate(to: 9)
        #expect(try it.finish {})
        try it.file.write("!", at: 9)
        #expect(try it.file.text() == "012late78!")
        #expect(it.file.owner.name == to)
        #expect(try it.test.openExisting("new").text() == "012late78!")
        #expect(try it.test.openExisting("old").text() == "012late78")
    }

    @Test func `a hole is not copied, and the end of the file is where it was`() throws {
        let it = try begin("begin", from: "ann@contoso.com", to: "ann@contoso.com")
        try it.file.truncate(to: 1 << 40)
        try it.file.write("middle", at: 1 << 30)
        try it.conversion.copy()
        #expect(try it.finish {})
        #expect(it.file.size == 1 << 40)
        #expect(try status(of: it.target.raw).st_blocks < 1000)
        var bytes = [UInt8](repeating: 1, count: 16)
        let count = try bytes.withUnsafeMutableBytes { try it.file.read(into: $0, at: 1 << 30) }
        #expect(count == 16 && bytes == Array("middle".utf8) + [UInt8](repeating: 0, count: 10))
    }

    @Test
    func `a copy for the same owner has another key, and the old header opens none of it`() throws {
        let it = try begin("content", from: "ann@contoso.com", to: "ann@contoso.com")
        let before = try #require(it.file.header)
        let old = try readSmallFile("\(it.test.path)/old", maximumByteCount: 8192)
        try it.conversion.copy()
        #expect(try it.finish {})
        let after = try #require(it.file.header)
        #expect(before.fileID != after.fileID && after.sealing?.isExposed == false)
        let target = it.target.raw
        try old[..<1024].withUnsafeBytes { try writeFully(target, from: $0, at: 0) }
        let forged = try Files(it.test.vault).file(reopen(it.target.raw, O_RDWR))
        #expect(throws: VaultError.self) { try Files(it.test.vault).admit(forged) }
        #expect(throws: VaultError.self) { try forged.text() }
    }

    @Test func `a file that cannot be put in place leaves the old one in use`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        #expect(throws: VaultError.self) {
            try it.finish { () throws(VaultError) in throw VaultError(.staleHandle) }
        }
        try it.file.write("C")
        #expect(it.file.owner.name == Self.stranger)
        #expect(try it.test.openExisting("old").text() == "Content")
    }

    @Test func `a lock in between ends it, and the old file stays`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        Lock(it.test.tree).lock(it.test.ann, now: true)
        #expect(throws: VaultError.self) { try it.finish {} }
        #expect(it.file.owner.name == Self.stranger)
        #expect(try it.file.text() == "content")
    }

    @Test func `a lock that has come and gone in between does not end it`() throws {
        let it = try begin("content", from: "ann@contoso.com", to: Self.stranger)
        try it.conversion.copy()
        try it.file.write("late")
        Lock(it.test.tree).lock(it.test.ann, now: true)
        try Unlock(it.test.tree).unlock(it.test.ann, passphrase: secret("secret"))
        #expect(try it.finish {})
        #expect(try it.file.text() == "lateent")
        #expect(it.file.owner.name == Self.stranger)
    }

    @Test func `who begins it anew in between keeps it`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        try Files(it.test.vault).begin(
            it.file, as: try Identity(name: "other@example.org"), asking: nil)
        try it.file.write("theirs")
        #expect(throws: VaultError.self) { try it.finish {} }
        #expect(it.file.owner.name == "other@example.org")
        #expect(try it.test.openExisting("old").text() == "theirs")
    }

    @Test func `a file that became an account's is closed by the next lock`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        #expect(try it.finish {})
        Lock(it.test.tree).lock(it.test.ann, now: true)
        #expect(!it.file.holdsKey)
        #expect(throws: VaultError.self) { try it.file.text() }
        try Unlock(it.test.tree).unlock(it.test.ann, passphrase: secret("secret"))
        #expect(try it.file.text() == "content")
    }

    @Test func `a file that is nobody's is plain`() throws {
        let it = try begin("content", from: "ann@contoso.com", to: "")
        try it.conversion.copy()
        #expect(try it.finish {})
        #expect(it.file.owner.isNobody && it.file.header?.isManaged == false)
        Lock(it.test.tree).lock(it.test.ann, now: true)
        #expect(try it.file.text() == "content")
    }

    @Test(arguments: [("ann@contoso.com", stranger), (stranger, "ann@contoso.com")])
    func `whatever is changed while it is copied, before and behind what was, the copy is the same`(
        from: String, to: String
    ) throws {
        let it = try begin(String(repeating: "0123456789", count: 10_000), from: from, to: to)
        var random = SystemRandomNumberGenerator()
        for round in 0..<200 {
            let size = it.file.size
            let place = Int64.random(in: 0...size, using: &random)
            switch round % 8 {
            case 0: try it.file.truncate(to: Int64.random(in: 0...150_000, using: &random))
            case 1: try it.file.zero(place..<place + 9000)
            case 2: try it.file.reserve(place..<place + 9000, keepSize: round % 16 == 2)
            case 3: try it.file.write("beyond", at: size + 20_000)
            default: try it.file.write("round \(round)", at: place)
            }
            // In between it is complete, and changes again.
            if round == 20 || round == 120 { try it.conversion.copy() }
        }
        try it.conversion.copy()
        try it.file.write("last", at: it.file.size)
        let content = try it.file.text()
        #expect(try it.finish {})
        #expect(try it.file.text() == content)
        #expect(try it.test.openExisting("new").text() == content)
        #expect(try it.test.openExisting("old").text() == content)
    }

    @Test func `a change of megabytes is copied again, and not in the caller's call`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        try it.file.truncate(to: 5 << 20)
        #expect(try it.finish {} == false)
        try it.conversion.copy()
        #expect(try it.finish {})
        #expect(it.file.size == 5 << 20)
        #expect(try it.test.openExisting("new").size == 5 << 20)
    }

    @Test func `a sync is one of the new name, too, until that is durable`() throws {
        let it = try begin("content", from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        #expect(try it.finish {})
        try it.file.write("synced")
        defer { Faults.disarm() }
        // The first sync is the file's, and the second one its directory's.
        Faults.arm(.sync, nth: 2, error: .ioError)
        #expect(throws: Errno.ioError) { try it.file.synchronize(dataOnly: true) }
        Faults.disarm()
        try it.file.synchronize(dataOnly: true)
        Faults.arm(.sync, nth: 2, error: .ioError)
        try it.file.synchronize(dataOnly: true)
        #expect(!Faults.disarm())
    }

    @Test func `a copy whose own sync failed does not become the file`() throws {
        let it = try begin(
            String(repeating: "x", count: 20_000), from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        // A plain file is cut without a sync, and a sealed one with it.
        Faults.arm(.sync, nth: 1, times: 1, error: .ioError)
        try it.file.truncate(to: 10_000)
        #expect(Faults.disarm())
        #expect(try it.finish {} == false)
        #expect(throws: VaultError.self) { try it.conversion.copy() }
        #expect(it.file.owner.name == Self.stranger)
    }

    @Test(arguments: [("ann@contoso.com", stranger), (stranger, "ann@contoso.com")])
    func `a large hole that comes after the copy is a hole in it`(from: String, to: String) throws {
        let it = try begin(String(repeating: "x", count: 3 << 20), from: from, to: to)
        try it.conversion.copy()
        try it.file.zero(10_000..<(3 << 20) - 10_000)
        #expect(try it.finish {} == false)
        try it.conversion.copy()
        let content = try it.file.text()
        #expect(try it.finish {})
        #expect(try it.file.text() == content)
        #expect(try it.test.openExisting("new").text() == content)
    }

    @Test func `a hole up to the end that comes after the copy is one in it, too`() throws {
        let it = try begin(
            String(repeating: "x", count: 3 << 20), from: Self.stranger, to: "ann@contoso.com")
        try it.conversion.copy()
        try it.file.zero(10_000..<3 << 20)
        #expect(try it.finish {} == false)
        try it.conversion.copy()
        let content = try it.file.text()
        #expect(try it.finish {})
        #expect(try it.file.text() == content)
    }
}
