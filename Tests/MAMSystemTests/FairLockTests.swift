import MAMSystem
import TestSupport
import Testing

@Suite struct FairLockTests {
    @Test func `a user pauses for as long as it held the lock`() {
        let isAnotherInTime = inOneOfFiveTries {
            let lock = FairLock()
            lock.withLock(for: 4711) { Deadline(milliseconds: 200).wait() }
            let pause = Deadline(milliseconds: 180)
            let isInTime = lock.withLock(for: 4712) { !pause.hasPassed }
            lock.withLock(for: 4711) { #expect(pause.hasPassed) }
            return isInTime
        }
        #expect(isAnotherInTime)
    }

    @Test func `root does not pause`() {
        #expect(
            inOneOfFiveTries {
                let lock = FairLock()
                lock.withLock(for: 0) { Deadline(milliseconds: 200).wait() }
                let pause = Deadline(milliseconds: 180)
                return lock.withLock(for: 0) { !pause.hasPassed }
            })
    }
}
