// The handles of a file that were opened while it was only for contained programs.

internal import MAMModel

/// Counts one account's handles; those of another, which the file had before, are dropped. A count
/// may be too small, never too large: then a contained program waits for somebody's close.
struct Insiders {
    private var account: AccountID?
    private var count = 0

    mutating func add(_ new: AccountID) {
        if account != new { (account, count) = (new, 0) }
        count += 1
    }

    mutating func remove(_ old: AccountID) {
        if old == account { count -= 1 }
    }

    func count(of account: AccountID) -> Int { account == self.account ? count : 0 }
}
