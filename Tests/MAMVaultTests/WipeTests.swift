import Glibc
import MAMFormat
import MAMIdentity
import MAMKeyring
import MAMModel
import MAMStore
import MAMSystem
import MAMVault
import Synchronization
import Testing

@Suite struct WipeTests {
    @Test(
        arguments: [
            "useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles",
            "whenDeviceLocked",
        ])
    func `open files of every class answer that the key is destroyed, and others go on`(
        policy: String
    ) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let plain = try test.makeFile("plain", owner: .nobody, "plain")
        test.vault.setMount(ActionMount {})
        #expect(try test.wipe().isComplete)
        #expect(isRevoked { _ = try file.text() })
        #expect(isRevoked { try file.write("more") })
        #expect(isRevoked { try file.truncate(to: 1) })
        #expect(!file.holdsKey)
        #expect(try plain.text() == "plain")
        // From a backup: it is a file without a key, like any other device's.
        #expect(isKeyMissing { _ = try test.openExisting("f") })
    }

    @Test func `no key is at hand any more when the kernel is asked for what it has`() throws {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let seen = Mutex<[Bool]>([])
        // The file keeps the vault, and the vault the mount that asks the file.
        defer { test.vault.setMount(nil) }
        test.vault.setMount(
            ActionMount {
                seen.withLock { $0.append(isRevoked { _ = try file.text() } && !file.holdsKey) }
            })
        _ = try test.wipe()
        #expect(seen.withLock { $0 } == [true, true])
    }

    @Test func `while files are left, the name is taken, and a second wipe ends the wipe`() throws {
        let test = try TestVault()
        _ = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let ann = try TestVault.annIdentity()
        let isStuck = Atomic<Bool>(true)
        test.vault.setMount(StuckMount(isStuck: { isStuck.load(ordering: .relaxed) }))
        #expect(try !test.wipe().isComplete)
        #expect(test.vault.accounts.isEmpty)
        #expect(throws: KeyringError.beingWiped(test.ann)) {
            try test.vault.register(ann, user: 1000, passphrase: nil)
        }
        #expect(throws: KeyringError.unknownAccount(test.ann)) {
            try test.vault.unlock(test.ann, passphrase: secret("secret"))
        }
        // It was to be sealed, and must not become plain.
        #expect(isRevoked { _ = try test.makeFile("g", owner: ann, "secret") })
        #expect(isRevoked { try test.vault.checkCreation(by: ann, asking: nil) })
        #expect(isRevoked { _ = try test.openExisting("f") })
        isStuck.store(false, ordering: .relaxed)
        let found = try #require(test.vault.wipeable(named: "ANN@contoso.com"))
        #expect(try test.vault.wipe(found.account, because: TestVault.reason).isComplete)
        #expect(test.vault.wipeable(named: "ann@contoso.com") == nil)
        let new = try test.vault.register(ann, user: 1000, passphrase: nil)
        #expect(new != test.ann)
    }

    @Test
    func `the default owner of its user, and of programs that acted for it, is nobody`() throws {
        let test = try TestVault()
        let life = try #require(ProcessStatus(of: getpid())?.life)
        #expect(test.vault.identities.set(try TestVault.annIdentity(), by: 0, for: life))
        #expect(test.vault.identity(ofThread: getpid(), user: 5).name == "ann@contoso.com")
        #expect(test.vault.defaultIdentity(ofUser: 1000).name == "ann@contoso.com")
        test.vault.setMount(ActionMount {})
        _ = try test.wipe()
        #expect(test.vault.identity(ofThread: getpid(), user: 5).isNobody)
        #expect(test.vault.defaultIdentity(ofUser: 1000).isNobody)
    }

    @Test func `it is told when all is gone, with the account as it was`() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        test.vault.setMount(ActionMount {})
        _ = try test.wipe()
        let events = subscription.take()
        // And as an unenrolment: EventTests.
        #expect(events.first?.kind == .wiped)
        #expect(events.count == 2)
        #expect(events.first?.last?.identity.name == "ann@contoso.com")
        #expect(events.first?.last?.user == 1000)
    }

    @Test func `a grace period that runs ends in nothing`() throws {
        let test = try TestVault(grace: 1)
        test.vault.lock(test.ann, now: false)
        test.vault.setMount(ActionMount {})
        _ = try test.wipe()
        sleep(2)
        #expect(test.vault.accounts.isEmpty)
        #expect(test.vault.lock(test.ann, now: true).isEmpty)
    }
}

/// A mount with a file that cannot be removed.
struct StuckMount: VaultMount {
    let isStuck: @Sendable () -> Bool

    func purge(
        until deadline: Deadline, _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64] { [] }

    func stragglers(_ nodes: [UInt64]) -> [Straggler] { [] }

    func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool { true }

    func sealAnew(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool { true }

    func hasClaim(
        where isWanted: (StoredClaim) -> Bool, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void
    ) -> Bool? { false }

    func removeFiles(
        where isWanted: (OwnedHeader) -> Bool, progressed: (WipeProgress) -> Void
    ) -> RemovedFiles {
        var files = RemovedFiles()
        files.isComplete = !isStuck()
        return files
    }

    var isReadOnly: Bool { false }
}

private func isRevoked(_ body: () throws -> Void) -> Bool {
    do { try body() } catch VaultError.keyRevoked { return true } catch { return false }
    return false
}

private func isKeyMissing(_ body: () throws -> Void) -> Bool {
    do { try body() } catch VaultError.keyMissing { return true } catch { return false }
    return false
}
