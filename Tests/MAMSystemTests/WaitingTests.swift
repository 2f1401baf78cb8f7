import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

@Suite struct WaitingTests {
    @Test func `a semaphore that is signalled is had; one that is not is given up`() {
        let semaphore = Semaphore()
        #expect(!semaphore.wait(until: Deadline(milliseconds: 20)))
        semaphore.signal()
        // Also when the deadline has passed.
        #expect(semaphore.wait(until: Deadline(milliseconds: -5)))
        #expect(!semaphore.wait(until: Deadline(milliseconds: -5)))
    }

    @Test func `what does not finish goes on by itself`() {
        #expect(finishes(by: .patient, named: "quick") {})
        let (blocker, ended) = (Semaphore(), Semaphore())
        let isDone = finishes(by: Deadline(milliseconds: 20), named: "slow") {
            blocker.wait()
            ended.signal()
        }
        #expect(!isDone)
        blocker.signal()
        #expect(ended.wait(until: .patient))
    }

    @Test func `an alarm wakes for what is due earlier`() throws {
        let (alarm, isAwake) = (try Alarm(), Semaphore())
        try startThread(named: "sleeper") {
            alarm.sleep(atMostSeconds: 3600)
            isAwake.signal()
        }
        alarm.ring(within: 60)
        #expect(isAwake.wait(until: .patient))
    }

    @Test func `a lock that others hold is given up, and had when they are gone`() throws {
        let lock = ReadWriteLock()
        let (isHeld, release, isFree) = (Semaphore(), Semaphore(), Semaphore())
        try startThread(named: "holder") {
            lock.shared {
                isHeld.signal()
                release.wait()
            }
            isFree.signal()
        }
        isHeld.wait()
        #expect(lock.exclusive(until: Deadline(milliseconds: 20)) { 1 } == nil)
        release.signal()
        isFree.wait()
        #expect(lock.exclusive(until: Deadline(milliseconds: -5)) { 1 } == 1)
    }

    @Test func `readers of a state are inside together, and a change waits for them`() throws {
        let state = SharedState(1)
        let (isInside, release, isChanged) = (Semaphore(), Semaphore(), Semaphore())
        try startThread(named: "reader") {
            state.read { _ in
                isInside.signal()
                release.wait()
            }
        }
        isInside.wait()
        #expect(finishes(by: .patient, named: "other") { _ = state.read { $0 } })
        try startThread(named: "writer") {
            state.withLock { $0 = 2 }
            isChanged.signal()
        }
        #expect(!isChanged.wait(until: Deadline(milliseconds: 50)))
        release.signal()
        #expect(isChanged.wait(until: .patient))
        #expect(state.read { $0 } == 2)
    }

    @Test func `who has a file open or mapped is found by its path, ourselves left out`() throws {
        let file = try TemporaryFile()
        let path = file.path
        let name = ByteString(path)
        // A child that another test starts has our descriptors for a moment.
        #expect(eventually { processes(holding: [name], until: .patient).isEmpty })
        let (reader, writer) = try makePipe()
        let process = try spawn(
            ["sh", "-c", "exec 3<\(path); read line"].map { ByteString($0) },
            files: [reader.raw: STDIN_FILENO])
        defer {
            kill(process, SIGKILL)
            _ = try? wait(for: process)
        }
        #expect(
            eventually {
                processes(holding: [name], until: .patient)[name]?.map(\.id) == [process]
            })
        withExtendedLifetime((file, writer)) {}
    }
}
