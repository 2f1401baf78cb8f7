import Glibc
import MAMLocks
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@Suite("Locking and unlocking")
struct LockTests {
    @Test("Class A: a lock closes open handles, and an unlock makes them work again")
    func classA() throws {
        let test = try TestVault("whenDeviceLocked")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        Lock(test.tree).lock(test.ann, now: true)
        #expect(isWindowClosed { _ = try file.text() })
        #expect(isWindowClosed { try file.write("lost") })
        #expect(isWindowClosed { try file.truncate(to: 1) })
        #expect(isWindowClosed { _ = try test.openExisting("f") })
        #expect(isWindowClosed { _ = try test.makeFile("g", owner: file.owner, "") })
        #expect(file.size == 5)
        #expect(!file.holdsKey)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        try file.write("HELLO")
        #expect(try test.openExisting("f").text() == "HELLO")
    }

    @Test("Class B: an open file stays open, new ones can be made, and closed ones stay closed")
    func classB() throws {
        let test = try TestVault("whenDeviceLockedExceptOpenFiles")
        let open = try test.makeFile("open", owner: try TestVault.annIdentity(), "open")
        _ = try test.makeFile("closed", owner: open.owner, "closed")
        Lock(test.tree).lock(test.ann, now: true)
        #expect(try open.text() == "open")
        try open.write("OPEN")
        #expect(isWindowClosed { _ = try test.openExisting("closed") })
        // Refused although another handle is open, as on Darwin.
        #expect(isWindowClosed { _ = try test.openExisting("open") })
        let new = try test.makeFile("new", owner: open.owner, "made while locked")
        #expect(try new.text() == "made while locked")
        #expect(Files(test.vault).closed(new))
        #expect(isWindowClosed { _ = try new.text() })
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try test.openExisting("new").text() == "made while locked")
        #expect(try test.openExisting("open").text() == "OPEN")
    }

    @Test("Classes C and D stay open through a lock", arguments: ["afterDeviceRestart"])
    func classC(policy: String) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        Lock(test.tree).lock(test.ann, now: true)
        #expect(try file.text() == "hello")
        #expect(try test.openExisting("f").text() == "hello")
    }

    @Test("What arrives while the window closes is kept, reads are refused, and later writes fail")
    func closing() throws {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "before")
        let readWasRefused = Mutex(false)
        test.serve {
            readWasRefused.withLock { $0 = isWindowClosed { _ = try file.text() } }
            // The kernel sends its dirty pages now.
            try? file.write("during")
        }
        Lock(test.tree).lock(test.ann, now: true)
        test.tree.setServed(false)
        #expect(readWasRefused.withLock { $0 })
        #expect(isWindowClosed { try file.write("after!") })
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "during")
    }

    @Test("An unlock within the grace period cancels the lock, and without one it comes")
    func grace() throws {
        let test = try TestVault(grace: 1)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        // Within its second, if nothing keeps this thread from running.
        let isInTime = inOneOfFiveTries {
            Lock(test.tree).lock(test.ann, now: false)
            let isOpen =
                Accounts(test.vault).all.first?.state == .grace && (try? file.text()) == "hello"
            return (try? Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))) != nil
                && isOpen
        }
        #expect(isInTime)
        #expect(haveEnded(threadsNamed: "lock-grace"))
        #expect(try file.text() == "hello")
        Lock(test.tree).lock(test.ann, now: false)
        #expect(eventually { Accounts(test.vault).all.first?.state == .locked })
        #expect(isWindowClosed { _ = try file.text() })
    }

    @Test("Unmanaged files and other accounts do not notice a lock")
    func others() throws {
        let test = try TestVault()
        let bob = try Identity(name: "bob@fabrikam.com")
        _ = try Registration(test.tree).register(bob, user: 1001, passphrase: nil)
        let plain = try test.makeFile("p", owner: .nobody, "plain")
        let other = try test.makeFile("o", owner: bob, "bob's")
        Lock(test.tree).lock(test.ann, now: true)
        #expect(try plain.text() == "plain")
        #expect(try other.text() == "bob's")
    }

    @Test("Readers and writers under lock and unlock lose nothing that was acknowledged")
    func hammer() throws {
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
            Lock(test.tree).lock(test.ann, now: true)
            try Unlock(test.tree).unlock(test.ann, passphrase: nil)
        }
        let text = Array(try file.text().utf8)
        for (worker, byte) in acknowledged.withLock({ $0 }) { #expect(text[worker] == byte) }
    }
}

@Suite("Accounts beside each other")
struct LockApartTests {
    /// Ann's and Bob's, and a kernel whose purge of one account's files does not end until it is
    /// told to.
    private func stuckVault() throws -> (
        TestVault, bob: AccountID, isStuck: MAMSystem.Semaphore, end: MAMSystem.Semaphore
    ) {
        let test = try TestVault()
        let bob = try Registration(test.tree).register(
            try Identity(name: "bob@contoso.com"), user: 1001, passphrase: secret("secret"))
        let (isStuck, end) = (MAMSystem.Semaphore(), MAMSystem.Semaphore())
        let isFirst = Guarded(true)
        test.serve {
            let isMine = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isMine else { return }
            isStuck.signal()
            end.wait()
        }
        return (test, bob, isStuck, end)
    }

    @Test("A lock that hangs keeps no other account from being locked and unlocked")
    func apart() throws {
        let (test, bob, isStuck, end) = try stuckVault()
        let (vault, tree, ann) = (test.vault, test.tree, test.ann)
        let ended = MAMSystem.Semaphore()
        try startThread(named: "stuck-lock") {
            Lock(tree).lock(ann, now: true)
            ended.signal()
        }
        isStuck.wait()
        let done = MAMSystem.Semaphore()
        try startThread(named: "other-lock") {
            Lock(tree).lock(bob, now: true)
            try? Unlock(tree).unlock(bob, passphrase: secret("secret"))
            done.signal()
        }
        #expect(done.wait(until: .patient))
        #expect(Accounts(vault).all.map(\.state).last == .unlocked)
        end.signal()
        ended.wait()
        #expect(Accounts(vault).all.map(\.state).first == .locked)
    }

    @Test("A lock of all locks the rest at once, whatever holds one up")
    func all() throws {
        let (test, _, isStuck, end) = try stuckVault()
        let (vault, tree) = (test.vault, test.tree)
        let ended = MAMSystem.Semaphore()
        try startThread(named: "lock-all") {
            Lock(tree).lockAll()
            ended.signal()
        }
        isStuck.wait()
        #expect(eventually { Accounts(vault).all.contains { $0.state == .locked } })
        #expect(!ended.wait(until: Deadline(milliseconds: 1)))
        end.signal()
        ended.wait()
        #expect(Accounts(vault).all.allSatisfy { $0.state == .locked })
    }
}
