import Testing

@testable import MAMTree

/// The questions come as Linux 6.18 asks them: see docs/adr/0008-late-writers.md.
@Suite("Telling a write from what looks like one")
struct WriteGuardTests {
    @Test("A write asks twice before it removes")
    func writing() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 7)
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .writing)
        // The next one begins anew.
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .changingOwner)
    }

    @Test("A change of owner asks once")
    func changingOwner() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .changingOwner)
    }

    @Test("Who was told of nothing removes what is there")
    func genuine() {
        var guardian = WriteGuard()
        #expect(guardian.removal(by: 7) == .genuine)
        guardian.notePretence(to: 8)
        guardian.notePretence(to: 8)
        #expect(guardian.removal(by: 7) == .genuine)
        #expect(guardian.removal(by: 8) == .writing)
    }

    @Test("Programs that only ask do not hide a writer, however many they are", arguments: 0...200)
    func askers(count: Int) {
        var guardian = WriteGuard()
        guardian.notePretence(to: 8)
        for asker in 0..<count { guardian.notePretence(to: Int32(100 + asker)) }
        guardian.notePretence(to: 8)
        #expect(guardian.removal(by: 8) == .writing)
    }

    @Test("Those whom the daemon cannot tell apart are all taken for writers")
    func unseen() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 0)
        #expect(guardian.removal(by: 0) == .writing)
    }

    @Test("A truncating open is told the truth once, and only its own thread")
    func truncating() {
        var guardian = WriteGuard()
        guardian.noteTruncation(by: 7)
        let (other, own, again) = (
            guardian.endsTruncation(of: 8), guardian.endsTruncation(of: 7),
            guardian.endsTruncation(of: 7)
        )
        #expect([other, own, again] == [false, true, false])
    }
}
