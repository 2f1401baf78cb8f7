import Glibc
import MAMLocks
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Locks, and what comes while the kernel takes its time.
@Suite struct LocksBesideTests {
    /// A lock of Ann's that has come to the kernel and stays there until it is told to end.
    private struct StuckLock {
        let isStuck = MAMSystem.Semaphore()
        let end = MAMSystem.Semaphore()
        let ended = MAMSystem.Semaphore()

        func begin(_ it: TestWorkspace, _ ann: [Inode]) throws {
            let nodes = ann.map(\.node)
            it.cache.onPurge { affected, _ in
                guard affected.map(\.node) == nodes else { return [] }
                isStuck.signal()
                end.wait()
                return []
            }
            let (tree, account) = (it.tree, it.ann)
            try startThread(named: "stuck-lock") {
                Lock(tree).lock(account, now: true)
                ended.signal()
            }
            isStuck.wait()
        }

        func finish() {
            end.signal()
            ended.wait()
        }
    }

    private func makeWorkspace() throws -> TestWorkspace {
        let it = try TestWorkspace { $0.lockDeadlineSeconds = 60 }
        try it.makeFile("anns", pattern(100))
        try it.makeFile("bobs", of: "bob@contoso.com", pattern(100))
        return it
    }

    private func state(of account: AccountID, in it: TestWorkspace) -> WindowState? {
        Accounts(it.vault).all.first { $0.id == account }?.state
    }

    @Test func `an unlock that comes in between waits for the lock's end, and opens the account`()
        throws
    {
        let it = try makeWorkspace()
        try it.withEntry("anns") { found in
            let lock = StuckLock()
            try lock.begin(it, [found.entry.inode])
            let isUnlocked = MAMSystem.Semaphore()
            let (tree, account) = (it.tree, it.ann)
            try startThread(named: "unlock") {
                try? Unlock(tree).unlock(account, passphrase: secret(TestWorkspace.passphrase))
                isUnlocked.signal()
            }
            // Keys take a tenth of that to derive.
            #expect(!isUnlocked.wait(until: Deadline(milliseconds: 300)))
            #expect(state(of: it.ann, in: it) == .grace)
            lock.finish()
            #expect(isUnlocked.wait(until: .patient))
            #expect(state(of: it.ann, in: it) == .unlocked)
            #expect(try it.content("anns") == pattern(100))
        }
    }

    @Test func `another account is locked and unlocked meanwhile`() throws {
        let it = try makeWorkspace()
        try it.withEntry("anns") { anns in
            try it.withHandle("bobs") { bobs in
                let lock = StuckLock()
                try lock.begin(it, [anns.entry.inode])
                let done = MAMSystem.Semaphore()
                let (tree, bob) = (it.tree, it.bob)
                let wasClosed = Guarded(false)
                try startThread(named: "other-lock") {
                    Lock(tree).lock(bob, now: true)
                    wasClosed.withLock { $0 = !bobs.file.holdsKey }
                    try? Unlock(tree).unlock(bob, passphrase: secret(TestWorkspace.passphrase))
                    done.signal()
                }
                #expect(done.wait(until: .patient))
                let hadNoKey = wasClosed.withLock { $0 }
                #expect(hadNoKey)
                #expect(try it.content(of: bobs) == pattern(100))
                #expect(state(of: it.ann, in: it) == .grace)
                lock.finish()
                #expect(state(of: it.ann, in: it) == .locked)
            }
        }
    }

    @Test func `before the end the kernel writes all back, and nothing new is opened`() throws {
        let it = try makeWorkspace()
        try it.withHandle("anns") { handle in
            it.cache.onPurge { affected, _ in affected }
            let left = Purge(it.tree).writeBack(until: Deadline(seconds: 1))
            #expect(left.map(\.path.shown) == ["/nowhere/anns"])
            #expect(refusal { _ = try it.content("bobs") } == .notConnected)
            let content = try it.content(of: handle)
            #expect(content == pattern(100))
        }
    }
}
