import MAMSystem
import Testing

@testable import MAMKeyring

@Suite struct DerivationTurnTests {
    @Test func `a user pauses for as long as its last derivation took`() {
        let turns = DerivationTurns()
        turns.take(for: 4711) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        // Another user's turn comes meanwhile.
        turns.take(for: 4712) { #expect(!pause.hasPassed) }
        turns.take(for: 4711) { #expect(pause.hasPassed) }
    }

    @Test func `root does not pause`() {
        let turns = DerivationTurns()
        turns.take(for: 0) { Deadline(milliseconds: 600).wait() }
        let pause = Deadline(milliseconds: 580)
        turns.take(for: 0) { #expect(!pause.hasPassed) }
    }
}
