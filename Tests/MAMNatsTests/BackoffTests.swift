// Ten thousand clients must not come back at the same moment.

import MAMNats
import Testing

@Suite struct BackoffTests {
    @Test func waitsGrowWithoutEndUpToALimit() {
        var backoff = Backoff(firstMilliseconds: 3000, lastMilliseconds: 300_000)
        #expect((0...3000).contains(backoff.next()))
        for window in [6000, 12_000, 24_000, 48_000, 96_000, 192_000, 300_000, 300_000, 300_000] {
            #expect((window / 2...window).contains(backoff.next()))
        }
        backoff.reset()
        #expect((0...3000).contains(backoff.next()))
    }

    @Test func clientsAreSpreadEvenly() {
        // Of ten thousand no tenth of the window has more than a sixth.
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            var backoff = Backoff(firstMilliseconds: 3000, lastMilliseconds: 300_000)
            counts[min(9, backoff.next() / 300)] += 1
        }
        #expect(counts.allSatisfy { (500..<1700).contains($0) })
    }
}
