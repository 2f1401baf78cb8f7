import MAMSystem
import Testing

@Suite struct PausingTurnTests {
    @Test func `a user pauses for as long as its last turn took`() {
        let turns = PausingTurns()
        turns.take(for: 4711) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        // Another user's turn comes meanwhile.
        turns.take(for: 4712) { #expect(!pause.hasPassed) }
        turns.take(for: 4711) { #expect(pause.hasPassed) }
    }

    @Test func `root does not pause`() {
        let turns = PausingTurns()
        turns.take(for: 0) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        turns.take(for: 0) { #expect(!pause.hasPassed) }
    }
}
