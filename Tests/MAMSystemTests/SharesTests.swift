import MAMLocks
import MAMModel
import MAMSystem
import TestSupport
import Testing

@Suite struct SharesTests {
    /// Users that are neither root nor the one that runs this.
    private let ann: UInt32 = 70_001
    private let bob: UInt32 = 70_002
    private let carol: UInt32 = 70_003
    private let root: UInt32 = 0

    @Test func `a user has no more than its share, and another as much`() {
        let shares = Shares(each: 2)
        #expect(shares.take(for: ann) && shares.hasRoom(for: ann) && shares.take(for: ann))
        #expect(!shares.hasRoom(for: ann) && !shares.take(for: ann))
        #expect(shares.hasRoom(for: bob) && shares.take(for: bob))
        shares.giveBack(for: ann)
        #expect(shares.hasRoom(for: ann) && shares.take(for: ann))
    }

    @Test func `however much one takes, the next finds something, and never all is taken`() {
        let shares = Shares(total: 100)
        #expect((0..<200).count { _ in shares.take(for: ann) } == 50)
        #expect((0..<200).count { _ in shares.take(for: bob) } == 25)
        #expect(shares.take(for: carol))
    }

    @Test func `root is bound by the whole alone`() {
        let shares = Shares(each: 1, total: 3)
        #expect((0..<5).count { _ in shares.take(for: root) } == 3)
    }

    @Test func `waiters are served by user, however much one user asked for`() throws {
        let shares = Shares(total: 1)
        let order = Guarded<[UInt32]>([])
        let ended = Semaphore()
        #expect(shares.take(for: ann))
        let waiting = [ann, ann, ann, bob, bob, root]
        for (count, user) in waiting.enumerated() {
            try startThread(named: "waiting") {
                shares.withSlot(of: user) { order.withLock { $0.append(user) } }
                ended.signal()
            }
            while shares.waitingCount <= count { usleepBriefly() }
        }
        shares.giveBack(for: ann)
        for _ in waiting { ended.wait() }
        #expect(order.withLock { $0 } == [root, bob, ann, bob, ann, ann])
    }

    @Test func `who has waited long enough goes, and leaves its turn to the next`() throws {
        let shares = Shares(each: 1)
        #expect(shares.take(for: ann))
        #expect(!shares.wait(for: ann, until: Deadline(milliseconds: 20)))
        let came = Semaphore()
        try startThread(named: "waiting") {
            if shares.wait(for: ann) { came.signal() }
        }
        while shares.waitingCount == 0 { usleepBriefly() }
        shares.giveBack(for: ann)
        #expect(came.wait(until: .patient))
    }

    @Test func `a place goes back with its owner`() {
        let shares = Shares(each: 1)
        var place = ShareSlot(in: shares, for: ann)
        #expect(place != nil && ShareSlot(in: shares, for: ann) == nil)
        place = nil
        #expect(shares.take(for: ann))
    }

    private func usleepBriefly() { _ = Semaphore().wait(until: Deadline(milliseconds: 1)) }
}

@Suite struct LockTableTests {
    @Test func `who holds one keeps nobody from another, and its own next one waits`() throws {
        let table = LockTable<Int>()
        let (isHeld, mayEnd, ended) = (Semaphore(), Semaphore(), Semaphore())
        try startThread(named: "holder") {
            table.withLock(1) {
                isHeld.signal()
                mayEnd.wait()
            }
            ended.signal()
        }
        isHeld.wait()
        #expect(table.withLock(2) { true })
        let second = Semaphore()
        try startThread(named: "second") { table.withLock(1) { second.signal() } }
        #expect(!second.wait(until: Deadline(milliseconds: 50)))
        mayEnd.signal()
        ended.wait()
        #expect(second.wait(until: .patient))
    }

    @Test func `work for several goes on side by side, and all of it is awaited`() {
        let (first, second) = (Semaphore(), Semaphore())
        let found = sideBySide([0, 1], named: "side") { number in
            // Each waits for the other.
            (number == 0 ? first : second).signal()
            return (number == 0 ? second : first).wait(until: .patient) ? number : -1
        }
        #expect(found.sorted() == [0, 1])
    }
}
