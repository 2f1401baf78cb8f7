import Glibc
import MAMModel
import MAMSession
import MAMSystem
import Testing

/// With a bus: Tests/Integration/test_session.py.
@Suite struct SessionWatchTests {
    private func makeWatch() -> SessionWatch {
        let events = SessionEvents(
            locked: { Issue.record("locked \($0)") }, unlocked: { Issue.record("unlocked \($0)") },
            prepareForSleep: { Issue.record("sleep") })
        // As where no bus can be reached. The environment is that of all tests.
        return SessionWatch(events, log: .silent) { () throws(Errno) in throw .noEntry }
    }

    @Test func `one that looks for a bus can be stopped at once, and twice`() throws {
        let watch = makeWatch()
        try watch.start()
        // Into the pause between two attempts, most likely.
        usleep(100_000)
        let start = ContinuousClock.now
        watch.stop(patience: .seconds(60))
        watch.stop()
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `one that was never started can be stopped`() { makeWatch().stop() }
}
