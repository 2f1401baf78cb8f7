import Glibc
import MAMLocks
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// What a lock does, in which order, when the kernel has pages of the account's files.
@Suite struct LockOrderTests {
    private struct Seen: Equatable {
        var opening: Errno?
        var reading: Errno?
        var holdsKey = false
        var files: [String] = []
    }

    @Test func `the kernel is asked once nothing can be opened or read, and while keys are here`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("open", pattern(5000))
        try it.makeFile("known", pattern(5000))
        try it.makeFile("bobs", of: "bob@contoso.com", pattern(5000))
        let seen = Guarded<Seen?>(nil)
        try it.withEntry("known") { _ in
            try it.withHandle("bobs") { _ in
                try it.withHandle("open") { handle in
                    it.cache.onPurge { [unowned it] affected, _ in
                        let now = Seen(
                            opening: refusal { _ = try it.content("known") },
                            reading: refusal { _ = try it.content(of: handle) },
                            holdsKey: handle.file.holdsKey,
                            files: affected.compactMap { it.tree.relativePath(of: $0)?.shown })
                        seen.withLock { $0 = now }
                        // The kernel sends what it had cached.
                        try? it.write(Array("late".utf8), to: handle)
                        return []
                    }
                    #expect(Lock(it.tree).lock(it.ann, now: true).isEmpty)
                    #expect(!handle.file.holdsKey)
                    #expect(refusal { try it.write([1], to: handle) } == .noKey)
                }
            }
        }
        let found = try #require(seen.withLock { $0 })
        #expect(found.opening == .noKey && found.reading == .noKey)
        #expect(found.holdsKey)
        #expect(found.files.sorted() == ["known", "open"])
        try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
        #expect(try it.content("open") == Array("late".utf8) + pattern(5000)[4...])
    }

    @Test func `what the kernel does not give up by the deadline is named, and its key goes`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("held", pattern(5000))
        try it.withHandle("held", O_RDONLY) { handle in
            it.cache.onPurge { affected, deadline in
                deadline.wait()
                return affected
            }
            let left = Lock(it.tree).lock(it.ann, now: true)
            #expect(left.map(\.path.shown) == ["/nowhere/held"])
            let users = left.flatMap { $0.processes.map(\.id) }
            #expect(users == [getpid()])
            #expect(!handle.file.holdsKey)
            #expect(refusal { _ = try it.content(of: handle) } == .noKey)
        }
        #expect(Accounts(it.vault).all.first?.state == .locked)
    }

    /// A read that the disk does not answer: the file's own lock is taken by the test.
    @Test func `a read that is under way is waited for before the kernel is asked, for a second`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(5000))
        try it.withHandle("file", O_RDONLY) { handle in
            let window = try #require(handle.file.window)
            let use = try #require(window.beginUse())
            let begin = Deadline.now
            let isAskedEarly = Guarded<Bool?>(nil)
            it.cache.onPurge { _, _ in
                let second = Deadline(asFarAheadAs: begin) < Deadline(milliseconds: 900)
                isAskedEarly.withLock { $0 = second }
                return []
            }
            Lock(it.tree).lock(it.ann, now: true)
            let wasEarly = isAskedEarly.withLock { $0 }
            #expect(wasEarly == false)
            window.end(use)
        }
    }

    @Test func `whoever reads under locks and unlocks gets the content or is told of the key`()
        throws
    {
        let it = try TestWorkspace()
        try it.makeFile("file", pattern(20_000))
        try it.withHandle("file", O_RDONLY) { handle in
            let isOver = Atomic<Bool>(false)
            let wrong = Guarded<[String]>([])
            let ended = MAMSystem.Semaphore()
            let counts = Guarded((read: 0, refused: 0))
            for _ in 0..<3 {
                try startThread(named: "reader") { [unowned it] in
                    while !isOver.load(ordering: .relaxed) {
                        do throws(Errno) {
                            let isSame = try it.content(of: handle) == pattern(20_000)
                            counts.withLock { $0.read += 1 }
                            if !isSame { wrong.withLock { $0.append("content") } }
                        } catch {
                            counts.withLock { $0.refused += 1 }
                            if error != .noKey { wrong.withLock { $0.append("\(error)") } }
                        }
                    }
                    ended.signal()
                }
            }
            var rounds = 0
            _ = try eventually {
                Lock(it.tree).lock(it.ann, now: true)
                try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
                rounds += 1
                return rounds >= 20 && counts.withLock { $0.read > 0 && $0.refused > 0 }
            }
            isOver.store(true, ordering: .relaxed)
            for _ in 0..<3 { ended.wait() }
            let (failures, (read, refused)) = (wrong.withLock { $0 }, counts.withLock { $0 })
            #expect(failures.isEmpty)
            #expect(read > 0 && refused > 0)
        }
    }
}
