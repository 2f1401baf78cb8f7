import Glibc
import MAMModel
import MAMSystem
import MAMVault
import Synchronization
import Testing

@Suite struct LockTests {
    @Test func `class A: a lock closes open handles, and an unlock makes them work again`() throws {
        let test = try TestVault("whenDeviceLocked")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.lock(test.ann, now: true)
        #expect(isWindowClosed { _ = try file.text() })
        #expect(isWindowClosed { try file.write("lost") })
        #expect(isWindowClosed { try file.truncate(to: 1) })
        #expect(isWindowClosed { _ = try test.openExisting("f") })
        #expect(isWindowClosed { _ = try test.makeFile("g", owner: file.owner, "") })
        #expect(file.size == 5)
        #expect(!file.holdsKey)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        try file.write("HELLO")
        #expect(try test.openExisting("f").text() == "HELLO")
    }

    @Test
    func `class B: an open file stays open, new ones can be made, and closed ones stay closed`()
        throws
    {
        let test = try TestVault("whenDeviceLockedExceptOpenFiles")
        let open = try test.makeFile("open", owner: try TestVault.annIdentity(), "open")
        _ = try test.makeFile("closed", owner: open.owner, "closed")
        test.vault.lock(test.ann, now: true)
        #expect(try open.text() == "open")
        try open.write("OPEN")
        #expect(isWindowClosed { _ = try test.openExisting("closed") })
        // Refused although another handle is open, as on Darwin.
        #expect(isWindowClosed { _ = try test.openExisting("open") })
        let new = try test.makeFile("new", owner: open.owner, "made while locked")
        #expect(try new.text() == "made while locked")
        #expect(test.vault.closed(new))
        #expect(isWindowClosed { _ = try new.text() })
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try test.openExisting("new").text() == "made while locked")
        #expect(try test.openExisting("open").text() == "OPEN")
    }

    @Test(arguments: ["afterDeviceRestart"])
    func `classes C and D stay open through a lock`(policy: String) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.lock(test.ann, now: true)
        #expect(try file.text() == "hello")
        #expect(try test.openExisting("f").text() == "hello")
    }

    @Test
    func `what arrives while the window closes is kept, reads are refused, and later writes fail`()
        throws
    {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "before")
        let readWasRefused = Mutex(false)
        let mount = ActionMount {
            readWasRefused.withLock { $0 = isWindowClosed { _ = try file.text() } }
            // The kernel sends its dirty pages now.
            try? file.write("during")
        }
        test.vault.setMount(mount)
        test.vault.lock(test.ann, now: true)
        test.vault.setMount(nil)
        #expect(readWasRefused.withLock { $0 })
        #expect(isWindowClosed { try file.write("after!") })
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "during")
    }

    @Test
    func `an unlock within the grace period cancels the lock, and without one it comes`() throws {
        let test = try TestVault(grace: 1)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.lock(test.ann, now: false)
        #expect(test.vault.accounts.first?.state == .grace)
        #expect(try file.text() == "hello")
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        usleep(1_300_000)
        #expect(try file.text() == "hello")
        test.vault.lock(test.ann, now: false)
        usleep(1_600_000)
        #expect(test.vault.accounts.first?.state == .locked)
        #expect(isWindowClosed { _ = try file.text() })
    }

    @Test func `unmanaged files and other accounts do not notice a lock`() throws {
        let test = try TestVault()
        let bob = try Identity(name: "bob@fabrikam.com")
        _ = try test.vault.register(bob, user: 1001, passphrase: nil)
        let plain = try test.makeFile("p", owner: .nobody, "plain")
        let other = try test.makeFile("o", owner: bob, "bob's")
        test.vault.lock(test.ann, now: true)
        #expect(try plain.text() == "plain")
        #expect(try other.text() == "bob's")
    }

    @Test
    func `readers and writers under lock and unlock lose nothing that was acknowledged`() throws {
        let test = try TestVault(passphrase: nil)
        let file = try test.makeFile(
            "f", owner: try TestVault.annIdentity(), String(repeating: ".", count: 64))
        let acknowledged = Mutex<[Int: UInt8]>([:])
        let running = Atomic<Int>(4)
        for worker in 0..<4 {
            try startThread(named: "worker") {
                for round in 0..<2000 {
                    let byte = UInt8(33 + round % 90)
                    if (try? file.write(String(UnicodeScalar(byte)), at: Int64(worker))) != nil {
                        acknowledged.withLock { $0[worker] = byte }
                    }
                    _ = try? file.text()
                }
                running.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        while running.load(ordering: .sequentiallyConsistent) > 0 {
            test.vault.lock(test.ann, now: true)
            try test.vault.unlock(test.ann, passphrase: nil)
        }
        let text = Array(try file.text().utf8)
        for (worker, byte) in acknowledged.withLock({ $0 }) { #expect(text[worker] == byte) }
    }
}

@Suite struct LockApartTests {
    /// Ann's and Bob's, and a mount whose purge of one account's files does not end until it is
    /// told to.
    private func stuckVault() throws -> (
        TestVault, bob: AccountID, isStuck: MAMSystem.Semaphore, end: MAMSystem.Semaphore
    ) {
        let test = try TestVault()
        let bob = try test.vault.register(
            try Identity(name: "bob@contoso.com"), user: 1001, passphrase: secret("secret"))
        let (isStuck, end) = (MAMSystem.Semaphore(), MAMSystem.Semaphore())
        let isFirst = Guarded(true)
        test.vault.setMount(
            ActionMount {
                let isMine = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isMine else { return }
                isStuck.signal()
                end.wait()
            })
        return (test, bob, isStuck, end)
    }

    @Test func `a lock that hangs keeps no other account from being locked and unlocked`() throws {
        let (test, bob, isStuck, end) = try stuckVault()
        let (vault, ann) = (test.vault, test.ann)
        let ended = MAMSystem.Semaphore()
        try startThread(named: "stuck-lock") {
            vault.lock(ann, now: true)
            ended.signal()
        }
        isStuck.wait()
        let done = MAMSystem.Semaphore()
        try startThread(named: "other-lock") {
            vault.lock(bob, now: true)
            try? vault.unlock(bob, passphrase: secret("secret"))
            done.signal()
        }
        #expect(done.wait(until: Deadline(seconds: 20)))
        #expect(vault.accounts.map(\.state).last == .unlocked)
        end.signal()
        ended.wait()
        #expect(vault.accounts.map(\.state).first == .locked)
    }

    @Test func `a lock of all locks the rest at once, whatever holds one up`() throws {
        let (test, _, isStuck, end) = try stuckVault()
        let vault = test.vault
        let ended = MAMSystem.Semaphore()
        try startThread(named: "lock-all") {
            vault.lockAll()
            ended.signal()
        }
        isStuck.wait()
        while vault.accounts.count(where: { $0.state == .locked }) < 1 { usleep(1000) }
        #expect(!ended.wait(until: Deadline(milliseconds: 1)))
        end.signal()
        ended.wait()
        #expect(vault.accounts.allSatisfy { $0.state == .locked })
    }
}
