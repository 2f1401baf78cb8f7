// What processors have of their own, and buffers that are kept there.

import Glibc
import MAMLocks
import MAMModel
import MAMSystem
import Synchronization
import Testing

@Suite struct PerProcessorTests {
    @Test func `no two numbers are on one cache line`() {
        let numbers = PerProcessor()
        #expect(numbers.count >= min(64, sysconf(Int32(_SC_NPROCESSORS_CONF))))
        let lines = (0..<numbers.count).map { UInt(bitPattern: numbers[$0]) / 64 }
        #expect(Set(lines).count == numbers.count)
        #expect(UInt(bitPattern: numbers[0]) % 64 == 0)
        #expect((0..<numbers.count).contains(numbers.here))
    }

    @Test func `with more processors than numbers some share one`() {
        let one = PerProcessor(most: 1)
        #expect(one.count == 1 && one.here == 0)
    }

    @Test func `a buffer belongs to one thread at a time, wherever threads run`() throws {
        let pool = BufferPool(byteCount: 4096)
        let isShared = Atomic<Bool>(false)
        let isDone = Semaphore()
        for number in 0..<8 {
            try startThread(named: "taker-\(number)") {
                for _ in 0..<20_000 {
                    let buffer = pool.take()
                    buffer.storeBytes(of: number, as: Int.self)
                    if number % 3 == 0 { sched_yield() }
                    if buffer.load(as: Int.self) != number {
                        isShared.store(true, ordering: .relaxed)
                    }
                    pool.giveBack(buffer)
                }
                isDone.signal()
            }
        }
        for _ in 0..<8 { isDone.wait() }
        let wasShared = isShared.load(ordering: .relaxed)
        #expect(!wasShared)
    }
}
