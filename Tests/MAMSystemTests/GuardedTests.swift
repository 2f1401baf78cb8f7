import Glibc
import MAMLocks
import MAMModel
import MAMSystem
import Testing

@Suite struct GuardedTests {
    @Test func `no change of several threads' is lost`() throws {
        let count = Guarded(0)
        let isDone = Semaphore()
        for number in 0..<4 {
            try startThread(named: "counter-\(number)") {
                for _ in 0..<50_000 { count.withLock { $0 += 1 } }
                isDone.signal()
            }
        }
        for _ in 0..<4 { isDone.wait() }
        #expect(count.withLock { $0 } == 200_000)
    }

    @Test func `an error passes through, and leaves the lock free`() {
        let text = Guarded("before")
        #expect(throws: Errno.self) {
            try text.withLock { text throws(Errno) in
                text = "after"
                throw Errno.ioError
            }
        }
        #expect(text.withLock { $0 } == "after")
    }

    @Test func `the value goes with the last copy of the lock`() {
        weak var witness: Witness?
        do {
            let value = Witness()
            witness = value
            let first = Guarded(Holder(value))
            let second = first
            #expect(second.withLock { _ in true } && witness != nil)
        }
        #expect(witness == nil)
    }

    private final class Witness: Sendable {}

    private struct Holder: ~Copyable, Sendable {
        let value: Witness
        init(_ value: Witness) { self.value = value }
    }
}
