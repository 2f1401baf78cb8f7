import Glibc
import MAMSystem
import Testing

@Suite("A value that one thread has at a time")
struct GuardedTests {
    @Test("No change of several threads' is lost")
    func counting() throws {
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

    @Test("An error passes through, and leaves the lock free")
    func throwing() {
        let text = Guarded("before")
        #expect(throws: Errno.self) {
            try text.withLock { text throws(Errno) in
                text = "after"
                throw Errno.ioError
            }
        }
        #expect(text.withLock { $0 } == "after")
    }

    @Test("The value goes with the last copy of the lock")
    func ending() {
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
