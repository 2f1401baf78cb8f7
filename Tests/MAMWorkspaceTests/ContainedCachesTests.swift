import Glibc
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import Synchronization
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

/// Clearing what contained programs left in their caches.
@Suite struct ContainedCachesTests {
    private let it: TestWorkspace
    private let home: String

    init() throws {
        it = try TestWorkspace { $0.clearedCaches = SealedHome.Cache.allCases }
        home = ".contained-\(geteuid())/ann@contoso.com"
        for directory in ["cache/deep/deeper", "tmp", "config"] {
            try it.places.makeDirectory("\(home)/\(directory)")
        }
        try it.places.makeDirectory("documents")
        for name in ["cache/one", "cache/deep/deeper/two", "tmp/three", "config/settings"] {
            try it.makeFile("\(home)/\(name)", pattern(5000))
        }
        try it.makeFile("documents/plan", pattern(100))
    }

    private var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.nanoseconds
    }

    private func clear(until limit: Int64? = nil) -> Bool {
        ContainedCaches(it.tree).clear(it.ann, changedUntil: limit ?? now + 1_000_000_000)
    }

    private func exist(_ names: String...) -> Bool {
        names.allSatisfy { it.places.exists("\(home)/\($0)") }
    }

    @Test func `caches are emptied and stay themselves, and nothing else goes`() throws {
        #expect(clear())
        #expect(exist("cache", "tmp", "config/settings"))
        #expect(!exist("cache/one") && !exist("cache/deep") && !exist("tmp/three"))
        #expect(try it.content("documents/plan") == pattern(100))
        let told = it.cache.calls.compactMap { call in
            if case .name(let name, _) = call { name.shown } else { nil }
        }
        #expect(told.sorted() == ["deep", "deeper", "one", "three", "two"])
        #expect(it.tree.table.count == 1)
    }

    @Test func `a file system may have any time`() {
        for (seconds, expected) in [(Int.max, Int64.max), (.min, .min), (9_223_372_037, .max)] {
            #expect(timespec(tv_sec: seconds, tv_nsec: 999_999_999).nanoseconds == expected)
        }
        #expect(timespec(tv_sec: 2, tv_nsec: 3).nanoseconds == 2_000_000_003)
    }

    @Test func `a link is removed, and what it leads to stays`() throws {
        symlink(it.places.path("documents"), it.places.path("\(home)/cache/link"))
        symlink(it.places.path("documents/plan"), it.places.path("\(home)/tmp/plan"))
        link(it.places.path("documents/plan"), it.places.path("\(home)/tmp/second"))
        #expect(clear())
        #expect(!exist("cache/link") && !exist("tmp/plan") && !exist("tmp/second"))
        #expect(try it.content("documents/plan") == pattern(100))
    }

    @Test func `a cache that is a link is not followed`() throws {
        #expect(rename(it.places.path("\(home)/cache"), it.places.path("kept")) == 0)
        symlink(it.places.path("documents"), it.places.path("\(home)/cache"))
        #expect(clear())
        #expect(try it.content("documents/plan") == pattern(100))
        #expect(it.places.exists("kept/one"))
    }

    @Test func `what was changed since then stays, and its directory`() throws {
        let limit = now
        usleep(20_000)
        try it.makeFile("\(home)/cache/deep/deeper/new", pattern(10))
        #expect(clear(until: limit))
        #expect(exist("cache/deep/deeper/new") && !exist("cache/deep/deeper/two"))
    }

    @Test func `files of another account stay`() throws {
        try it.makeFile("\(home)/cache/bobs", of: "bob@contoso.com", pattern(7))
        try it.makeFile("\(home)/cache/plain", of: "", pattern(8))
        #expect(clear())
        #expect(exist("cache/bobs") && !exist("cache/plain"))
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a home and a directory of another user are not entered`() throws {
        chown(it.places.path("\(home)/cache/deep"), 4711, 4711)
        #expect(clear())
        #expect(exist("cache/deep/deeper/two") && !exist("cache/one"))
        for path in [home, ".contained-\(geteuid())"] {
            try it.makeFile("\(home)/tmp/again", pattern(5))
            chown(it.places.path(path), 4711, 4711)
            #expect(clear())
            #expect(exist("tmp/again"))
            chown(it.places.path(path), 0, 0)
            unlink(it.places.path("\(home)/tmp/again"))
        }
    }

    @Test func `a directory that leaves meanwhile takes the rest of its files along`() throws {
        for number in 0..<1100 { try it.places.put([1], at: "\(home)/tmp/\(number)") }
        try it.places.makeDirectory("\(home)/tmp/empty")
        // The kernel is told of a thousand names at once, in the middle of the pass.
        let (places, home) = (it.places, home)
        it.cache.onName { rename(places.path("\(home)/tmp"), places.path("documents/tmp")) }
        _ = clear()
        let left = try entries(of: ByteString(it.places.path("documents/tmp")))
        #expect(left.count >= 100 && left.contains(ByteString("empty")))
    }

    @Test func `a failure leaves the rest to the next pass`() throws {
        Faults.arm(.remove, nth: 1, error: .ioError)
        #expect(!clear())
        #expect(Faults.disarm())
        #expect(clear())
        #expect(!exist("cache/one") && !exist("tmp/three"))
    }

    @Test func `a lock clears them, and an unlock what it left over`() throws {
        Lock(it.tree).lock(it.ann, now: true)
        #expect(eventually { !exist("cache/one") && !exist("tmp/three") && !exist("cache/deep") })
        #expect(eventually { it.vault.walks.caches.isIdle(of: it.ann) == true })
        try Unlock(it.tree).unlock(it.ann, passphrase: secret(TestWorkspace.passphrase))
        try it.makeFile("\(home)/cache/new", pattern(10))
        // Another daemon, after this one was killed.
        let again = try TestWorkspace(in: it.places) {
            $0.clearedCaches = SealedHome.Cache.allCases
        }
        Lock(again.tree).lock(again.ann, now: true)
        #expect(eventually { !exist("cache/new") })
    }

    @Test func `without the setting nothing goes`() throws {
        let again = try TestWorkspace(in: it.places)
        Lock(again.tree).lock(again.ann, now: true)
        for account in [again.ann, again.bob] {
            #expect(again.vault.walks.caches.isIdle(of: account) == nil)
        }
        #expect(exist("cache/one", "tmp/three"))
    }

    @Test func `an unlock resumes only what is not done`() {
        let (clearings, ann) = (CacheClearings(), it.ann)
        let starts = [
            clearings.resume(of: ann), clearings.resume(of: ann), clearings.begin(of: ann, at: 5),
        ]
        #expect(starts == [true, false, false])
        let first = [
            clearings.finish(of: ann, isWhole: true), clearings.finish(of: ann, isWhole: false),
        ]
        #expect(first == [5, nil] && clearings.isIdle(of: ann) == true)
        let isResumed = clearings.resume(of: ann)
        let second = clearings.finish(of: ann, isWhole: true)
        let again = [clearings.resume(of: ann), clearings.begin(of: ann, at: 6)]
        #expect(isResumed && second == nil && again == [false, true])
    }
}
