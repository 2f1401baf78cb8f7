import Glibc
import MAMFormat
import MAMIdentity
import MAMKeyring
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@Suite("Wiping an account")
struct WipeTests {
    @Test(
        "Open files of every class answer that the key is destroyed, and others go on",
        arguments: [
            "useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles",
            "whenDeviceLocked",
        ])
    func openFiles(policy: String) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let plain = try test.makeFile("plain", owner: .nobody, "plain")
        test.serve()
        let backup = try readSmallFile("\(test.path)/f", maximumByteCount: 1 << 20)
        #expect(try test.wipe().isComplete)
        #expect(isRevoked { _ = try file.text() })
        #expect(isRevoked { try file.write("more") })
        #expect(isRevoked { try file.truncate(to: 1) })
        #expect(!file.holdsKey)
        #expect(try plain.text() == "plain")
        // From a backup: it is a file without a key, like any other device's.
        let restored = try test.descriptor("f")
        try backup.span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(restored.raw, from: bytes, at: 0)
        }
        #expect(isKeyMissing { _ = try test.openExisting("f") })
    }

    @Test("No key is at hand any more when the kernel is asked for what it has")
    func keysFirst() throws {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let seen = Mutex<[Bool]>([])
        let look: @Sendable () -> Void = {
            seen.withLock { $0.append(isRevoked { _ = try file.text() } && !file.holdsKey) }
        }
        // The file keeps the vault, and the kernel the file.
        defer { test.cache.onPurge(nil) }
        test.serve(whenPurged: look)
        _ = try Wipe(test.tree).wipe(test.ann, because: TestVault.reason) { _ in look() }
        // When it is asked for what it has, and as the files go.
        let all = seen.withLock { $0 }
        #expect(all.count > 1)
        #expect(!all.contains(false))
    }

    @Test(
        "While files are left the name is taken, nothing is made for it, and a second wipe ends it")
    func incomplete() throws {
        let test = try TestVault()
        _ = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let ann = try TestVault.annIdentity()
        let readOnly = try test.makeReadOnlyTree()
        readOnly.setServed(true)
        #expect(try !Wipe(readOnly).wipe(test.ann, because: TestVault.reason).isComplete)
        #expect(Accounts(test.vault).all.isEmpty)
        #expect(throws: KeyringError.beingWiped(test.ann)) {
            try Registration(test.tree).register(ann, user: 1000, passphrase: nil)
        }
        #expect(throws: KeyringError.unknownAccount(test.ann)) {
            try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        }
        // It was to be sealed, and must not become plain.
        #expect(isRevoked { _ = try test.makeFile("g", owner: ann, "secret") })
        #expect(isRevoked { try Files(test.vault).checkCreation(by: ann, asking: nil) })
        #expect(isRevoked { _ = try test.openExisting("f") })
        test.serve()
        let found = try #require(Wipe(test.tree).wipeable(named: "ANN@contoso.com"))
        #expect(try Wipe(test.tree).wipe(found.account, because: TestVault.reason).isComplete)
        #expect(Wipe(test.tree).wipeable(named: "ann@contoso.com") == nil)
        let new = try Registration(test.tree).register(ann, user: 1000, passphrase: nil)
        #expect(new != test.ann)
    }

    @Test("The default owner of its user, and of programs that acted for it, is nobody")
    func identities() throws {
        let test = try TestVault()
        let life = try #require(ProcessStatus(of: getpid())?.life)
        #expect(test.vault.identities.set(try TestVault.annIdentity(), by: 0, for: life))
        #expect(Callers(test.vault).identity(ofThread: getpid(), user: 5).name == "ann@contoso.com")
        #expect(Callers(test.vault).defaultIdentity(ofUser: 1000).name == "ann@contoso.com")
        test.serve()
        _ = try test.wipe()
        #expect(Callers(test.vault).identity(ofThread: getpid(), user: 5).isNobody)
        #expect(Callers(test.vault).defaultIdentity(ofUser: 1000).isNobody)
    }

    @Test("It is told when all is gone, with the account as it was")
    func event() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        test.serve()
        _ = try test.wipe()
        let events = subscription.take()
        // And as an unenrolment: EventTests.
        #expect(events.first?.kind == .wiped)
        #expect(events.count == 2)
        #expect(events.first?.last?.identity.name == "ann@contoso.com")
        #expect(events.first?.last?.user == 1000)
    }

    @Test("A grace period that runs ends in nothing")
    func grace() throws {
        let test = try TestVault(grace: 1)
        Lock(test.tree).lock(test.ann, now: false)
        test.serve()
        _ = try test.wipe()
        #expect(haveEnded(threadsNamed: "lock-grace"))
        #expect(Accounts(test.vault).all.isEmpty)
        #expect(Lock(test.tree).lock(test.ann, now: true).isEmpty)
    }
}

private func isRevoked(_ body: () throws -> Void) -> Bool {
    do { try body() } catch VaultError.keyRevoked { return true } catch { return false }
    return false
}

private func isKeyMissing(_ body: () throws -> Void) -> Bool {
    do { try body() } catch VaultError.keyMissing { return true } catch { return false }
    return false
}
