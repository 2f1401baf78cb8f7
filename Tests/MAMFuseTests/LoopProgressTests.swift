import MAMFuse
import Testing

/// What the watchdog goes by.
@Suite final class LoopProgressTests {
    private var check = ProgressCheck()

    private func look(waiting: Int, taken: Int) -> Bool {
        check.hasProgress(LoopProgress(waitingCount: waiting, requestCount: taken))
    }

    @Test func `a thread that waits is progress`() {
        for _ in 0..<3 { #expect(look(waiting: 1, taken: 7)) }
    }

    @Test func `threads that are all busy are none`() {
        // Taken since the last look.
        #expect(look(waiting: 0, taken: 7))
        #expect(!look(waiting: 0, taken: 7))
        #expect(!look(waiting: 0, taken: 7))
    }

    @Test func `one that comes back is progress again`() {
        _ = look(waiting: 0, taken: 7)
        #expect(!look(waiting: 0, taken: 7))
        #expect(look(waiting: 0, taken: 8))
    }
}
