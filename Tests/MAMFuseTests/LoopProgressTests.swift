import MAMFuse
import Testing

/// What the watchdog goes by.
@Suite final class LoopProgressTests {
    private let progress = LoopProgress()
    private var check = ProgressCheck()

    private func look() -> Bool { check.hasProgress(progress) }

    @Test func `a thread that waits is progress`() {
        for _ in 0..<3 {
            progress.waiting { #expect(look()) }
        }
    }

    @Test func `threads that are all busy are none`() {
        progress.waiting {}
        // Taken since the last look.
        #expect(look())
        #expect(!look())
        #expect(!look())
    }

    @Test func `one that comes back is progress again`() {
        progress.waiting {}
        _ = look()
        #expect(!look())
        progress.waiting {}
        #expect(look())
    }
}
