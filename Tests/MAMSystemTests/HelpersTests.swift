import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

/// Counts how often each part was done; may be held up.
private final class Parts: SharedWork {
    private let counts: Mutex<[Int]>
    private let onPart: @Sendable (Int) -> Void

    init(_ count: Int, onPart: @escaping @Sendable (Int) -> Void = { _ in }) {
        counts = Mutex(Array(repeating: 0, count: count))
        self.onPart = onPart
    }

    func doPart(_ part: Int) {
        counts.withLock { $0[part] += 1 }
        onPart(part)
    }

    var areDoneOnce: Bool { counts.withLock { $0.allSatisfy { $0 == 1 } } }
}

/// One request's work, shared.
@Suite final class HelpersTests {
    private let helpers = Helpers(maximumCount: 1)

    deinit { helpers.end() }

    @Test func `each part is done once, with and without help`() {
        for helpers in [helpers, Helpers(maximumCount: 0)] {
            for count in [0, 1, 31, 32, 33, 200] {
                for _ in 0..<200 {
                    let parts = Parts(count)
                    helpers.share(parts, count: count)
                    #expect(parts.areDoneOnce)
                }
            }
        }
    }

    @Test func `a second thread does some`() {
        let threads = Mutex<Set<UInt>>([])
        // The first one waits for the other to be awake.
        let parts = Parts(64) { part in
            threads.withLock { _ = $0.insert(UInt(pthread_self())) }
            if part == 0 { _ = eventually { threads.withLock { $0.count } == 2 } }
        }
        helpers.share(parts, count: 64)
        #expect(parts.areDoneOnce)
        #expect(threads.withLock { $0.count } == 2)
    }

    @Test func `nobody waits for a helper that is held up by another's work`() throws {
        let (release, isHeld, ended) = (Semaphore(), Semaphore(), Semaphore())
        let helpers = helpers
        let stuck = Parts(32) { part in
            guard part == 0 else { return }
            isHeld.signal()
            release.wait()
        }
        try startThread(named: "owner") {
            helpers.share(stuck, count: 32)
            ended.signal()
        }
        isHeld.wait()
        // The only helper is in use: this is done without it.
        let parts = Parts(64)
        helpers.share(parts, count: 64)
        #expect(parts.areDoneOnce)
        release.signal()
        ended.wait()
        #expect(stuck.areDoneOnce)
    }

    @Test func `after the end all is done without help`() {
        helpers.end()
        let parts = Parts(64)
        helpers.share(parts, count: 64)
        #expect(parts.areDoneOnce)
    }
}
