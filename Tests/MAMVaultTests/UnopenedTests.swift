// Sealed files whose keys are elsewhere.

import MAMFormat
import MAMModel
import MAMSystem
import Synchronization
import Testing

@testable import MAMVault

@Suite struct UnopenedTests {
    private static func bob() throws -> Identity { try Identity(name: "bob@contoso.com") }

    /// Bob's, in the backing directory.
    private static func file(_ path: String, user: UInt32) throws -> StoredClaim {
        let sealing = FileHeader.Sealing(
            protectionClass: .complete, keyID: KeyID(.zero), isSparse: false,
            ephemeralKey: EphemeralKey(first: .zero, second: .zero))
        let header = FileHeader(fileID: FileID(.zero), owner: try bob(), sealing: sealing)
        return .file(
            OwnedHeader(header, user: user), path: { ByteString(path) }, bytes: { nil })
    }

    @Test func `a user is told of their own, and of others that there are some`() throws {
        let test = try TestVault()
        test.vault.setMount(
            ActionMount(action: {}) { isWanted in
                for (path, user) in [("theirs", UInt32(1001)), ("mine", 1000)] {
                    guard let file = try? Self.file(path, user: user) else { return nil }
                    if isWanted(file) { return true }
                }
                return false
            })
        let mine = try test.vault.unopenedFiles(of: Self.bob(), toldTo: 1000) { true }
        #expect((mine.count, mine.example, mine.hasHidden) == (1, ByteString("mine"), true))
        let all = try test.vault.unopenedFiles(of: Self.bob(), toldTo: nil) { true }
        #expect((all.count, all.example, all.hasHidden) == (2, ByteString("theirs"), false))
        let none = try test.vault.unopenedFiles(of: Self.bob(), toldTo: 7) { true }
        #expect(none.count == 0 && none.example == nil && !none.isEmpty)
    }

    @Test func `a search that was cut short is none that found nothing`() throws {
        let test = try TestVault()
        let mounts = [
            nil, ActionMount(action: {}) { _ in nil },
            ActionMount(action: {}, search: { _ in nil }, unreadable: ByteString("broken")),
        ]
        for mount in mounts {
            test.vault.setMount(mount)
            let end: SearchEnd = mount?.unreadable == nil ? .cutShort : .unreadable
            #expect(throws: end) {
                try test.vault.unopenedFiles(of: Self.bob(), toldTo: nil) { true }
            }
        }
    }

    @Test func `a user's next search begins no sooner than its last one took`() throws {
        let test = try TestVault()
        let isSlow = Mutex(true)
        test.vault.setMount(
            ActionMount(action: {}) { _ in
                if isSlow.withLock(\.self) { Deadline(milliseconds: 800).wait() }
                return false
            })
        func search(for user: UInt32?) throws {
            _ = try test.vault.unopenedFiles(of: Self.bob(), toldTo: user) { true }
        }
        try search(for: 4711)
        let pause = Deadline(milliseconds: 780)
        isSlow.withLock { $0 = false }
        try search(for: 4712)
        #expect(!pause.hasPassed)
        try search(for: 4711)
        #expect(pause.hasPassed)
    }

    @Test(arguments: [true, nil])
    func `nobody waits for another's search, and it is not made again at once`(found: Bool?) throws
    {
        let test = try TestVault()
        test.vault.setMount(ActionMount {})
        _ = try test.wipe()
        let vault = test.vault
        let searches = Mutex(0)
        let meanwhile = Mutex<Bool?>(nil)
        vault.setMount(
            ActionMount(action: {}) { [unowned vault] _ in
                searches.withLock { $0 += 1 }
                let other = vault.needsImport
                meanwhile.withLock { $0 = other }
                return found
            })
        #expect(vault.needsImport == (found ?? false))
        #expect(vault.needsImport == (found ?? false))
        #expect(meanwhile.withLock(\.self) == false)
        #expect(searches.withLock(\.self) == 1)
    }

    @Test(arguments: [true, false, nil])
    func `only a whole tree without any is never searched again`(found: Bool?) throws {
        var need = ImportNeed(restSeconds: 0)
        let begins = need.beginSearch()
        #expect(begins)
        need.endSearch(found)
        #expect(need.isFound == (found ?? false))
        let beginsAgain = need.beginSearch()
        #expect(beginsAgain == (found != false))
    }
}
