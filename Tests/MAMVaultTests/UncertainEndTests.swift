import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import MAMVault
import Testing
import WorkspaceSupport

@Suite struct UncertainEndTests {
    private let test: TestVault

    init() throws { test = try TestVault() }

    private func make(_ name: String) throws -> VaultFile {
        let content = String(repeating: "x", count: 20_000)
        return try test.makeFile(name, owner: TestVault.annIdentity(), content)
    }

    /// As a crash between two writes leaves it.
    private func makeTorn(_ name: String) throws -> FileHeader {
        let header = try #require(try make(name).header)
        #expect(truncate("\(test.path)/\(name)", 3 * 4096 + 9) == 0)
        return header
    }

    @Test func `a call that failed makes its own file's end uncertain, and no other's`() throws {
        try truncateInVain(make("left"))
        #expect(try test.openExisting("left").size == 15_000)
        _ = try makeTorn("cut")
        #expect(throws: VaultError.self) { try test.openExisting("cut") }
    }

    private func truncateInVain(_ file: VaultFile) throws {
        Faults.arm(.write, nth: 1, times: 1, error: .ioError)
        defer { Faults.disarm() }
        try file.truncate(to: 15_000)
    }

    @Test func `once all files checked, only those of awaited keys may end anywhere`() throws {
        let header = try makeTorn("cut")
        let key = try #require(header.sealing?.keyID)
        #expect(throws: VaultError.self) { try test.openExisting("cut") }
        test.vault.openFiles.uncertainEnds.beginWithAll()
        _ = try test.openExisting("cut")
        test.vault.openFiles.uncertainEnds.narrow(to: [key])
        _ = try test.openExisting("cut")
        test.vault.openFiles.uncertainEnds.narrow(to: [])
        #expect(throws: VaultError.self) { try test.openExisting("cut") }
    }

    @Test func `what may be opened may get another class and another owner`() throws {
        _ = try makeTorn("cut")
        test.vault.openFiles.uncertainEnds.beginWithAll()
        let file = try Files(test.vault).file(test.descriptor("cut"))
        try FileClasses(test.vault).setClass(.complete, of: file)
        let conversion = try Conversion(
            of: file, for: try Identity(name: "me@example.org"), asking: nil,
            into: test.descriptor("new"), in: test.vault)
        conversion.end()
    }
}
