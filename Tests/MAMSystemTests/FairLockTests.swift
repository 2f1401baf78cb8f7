import MAMSystem
import Testing

@Suite struct FairLockTests {
    @Test func `a user pauses for as long as it held the lock`() {
        let lock = FairLock()
        lock.withLock(for: 4711) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        // Another user gets the lock meanwhile.
        lock.withLock(for: 4712) { #expect(!pause.hasPassed) }
        lock.withLock(for: 4711) { #expect(pause.hasPassed) }
    }

    @Test func `root does not pause`() {
        let lock = FairLock()
        lock.withLock(for: 0) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        lock.withLock(for: 0) { #expect(!pause.hasPassed) }
    }
}
