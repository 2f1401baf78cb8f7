import MAMTree
import Testing

/// The questions come as Linux 6.18 asks them: see docs/adr/0008-late-writers.md.
@Suite struct WriteGuardTests {
    @Test func `a write asks twice before it removes`() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 7)
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .writing)
        // The next one begins anew.
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .changingOwner)
    }

    @Test func `a change of owner asks once`() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 7)
        #expect(guardian.removal(by: 7) == .changingOwner)
    }

    @Test func `who was told of nothing removes what is there`() {
        var guardian = WriteGuard()
        #expect(guardian.removal(by: 7) == .genuine)
        guardian.notePretence(to: 8)
        guardian.notePretence(to: 8)
        #expect(guardian.removal(by: 7) == .genuine)
        #expect(guardian.removal(by: 8) == .writing)
    }

    @Test(arguments: 0...200)
    func `programs that only ask do not hide a writer, however many they are`(count: Int) {
        var guardian = WriteGuard()
        guardian.notePretence(to: 8)
        for asker in 0..<count { guardian.notePretence(to: Int32(100 + asker)) }
        guardian.notePretence(to: 8)
        #expect(guardian.removal(by: 8) == .writing)
    }

    @Test func `those whom the daemon cannot tell apart are all taken for writers`() {
        var guardian = WriteGuard()
        guardian.notePretence(to: 0)
        #expect(guardian.removal(by: 0) == .writing)
    }

    @Test func `a truncating open is told the truth once, and only its own thread`() {
        var guardian = WriteGuard()
        guardian.noteTruncation(by: 7)
        let (other, own, again) = (
            guardian.endsTruncation(of: 8), guardian.endsTruncation(of: 7),
            guardian.endsTruncation(of: 7)
        )
        #expect([other, own, again] == [false, true, false])
    }

    @Test func `once the file is closed no open is awaited`() {
        var guardian = WriteGuard()
        guardian.noteTruncation(by: 7)
        let (before, _, after) = (
            guardian.hasTruncations, guardian.allAreClosed(), guardian.hasTruncations
        )
        #expect([before, after] == [true, false])
    }
}
