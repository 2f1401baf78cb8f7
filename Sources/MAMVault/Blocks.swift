// The blocks of all accounts, and the lock under which they are settled.

internal import MAMLocks
package import MAMModel
internal import Synchronization

/// What policy blocks, apart from locks.
package final class Blocks: Sendable {
    private let held = Mutex<[AccountID: HeldBlocks]>([:])
    private let settling = LockTable<AccountID>()

    /// The block that is told of an account.
    package func current(of account: AccountID) -> AccountBlock? {
        held.withLock { $0[account]?.current }
    }

    /// True if another one is told now.
    package func add(_ block: AccountBlock, to account: AccountID) -> Bool {
        held.withLock { held in
            let old = held[account]?.current
            held[account, default: HeldBlocks()].add(block)
            return held[account]?.current != old
        }
    }

    /// Returns the block that policy has ended, and the one that is left.
    ///
    /// `isUnlocked`: ends what an unlock ends, too.
    package func endLasting(
        of account: AccountID, isUnlocked: Bool
    ) -> (ended: AccountBlock?, left: AccountBlock?) {
        held.withLock { held in
            let ended = held[account]?.endLasting()
            if isUnlocked { held[account]?.noteUnlock() }
            return (ended, held[account]?.current)
        }
    }

    /// Ends what an unlock ends, and returns what is left. In one critical section: a later block
    /// waits for the unlock's transition, and closes what is opened there.
    package func noteUnlock(of account: AccountID) -> AccountBlock? {
        held.withLock { held in
            if held[account]?.current?.endsWithUnlock == true { held[account]?.noteUnlock() }
            return held[account]?.current
        }
    }

    /// Serialises the blocks of an account, so that the last one determined stays in force. Comes
    /// before ``Windows/transition(of:_:)``.
    package func settling<Result, Failure: Error>(
        _ account: AccountID, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try settling.withLock(account, body)
    }
}

/// The blocks of one account. One that an unlock ends waits behind another: when that ends, the
/// passphrase is still asked for.
private struct HeldBlocks: Sendable {
    private var lasting: AccountBlock?
    private var untilUnlock: AccountBlock?

    /// The one that is told.
    var current: AccountBlock? { lasting ?? untilUnlock }

    mutating func add(_ block: AccountBlock) {
        if block.endsWithUnlock { untilUnlock = block } else { lasting = block }
    }

    /// Returns the block that policy has ended.
    mutating func endLasting() -> AccountBlock? {
        defer { lasting = nil }
        return lasting
    }

    mutating func noteUnlock() { untilUnlock = nil }
}
