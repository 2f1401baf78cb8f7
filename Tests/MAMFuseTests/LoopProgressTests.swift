import MAMFuse
import Testing

/// What the watchdog goes by.
@Suite final class LoopProgressTests {
    private var check = ProgressCheck()

    private func look(waiting: Int, taken: Int) -> Bool { look((waiting, taken)) }

    private func look(_ queues: (waiting: Int, taken: Int)...) -> Bool {
        check.hasProgress(
            LoopProgress(
                queues.map { .init(waitingCount: $0.waiting, requestCount: $0.taken) }))
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

    @Test func `a queue that stands still is none, whatever the others do`() {
        #expect(look((0, 7), (3, 1)))
        #expect(!look((0, 7), (3, 9)))
        #expect(!look((0, 7), (0, 12)))
        #expect(look((0, 8), (0, 13)))
    }
}
