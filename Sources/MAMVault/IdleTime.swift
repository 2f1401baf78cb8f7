// How long accounts have been idle, and when that locks them.

internal import MAMLocks
package import MAMModel
internal import MAMSystem

/// Of an unlocked account that has a limit.
package struct IdleTime: Sendable, Equatable {
    /// Since its last use.
    package let seconds: Int64
    package let limit: Int64
    /// When it has to enter its passphrase again; nil for never.
    package let recheck: Int64?

    /// Until it is locked.
    package var left: Int64 { max(0, limit - seconds) }

    /// So long before the lock listeners are told of it.
    private var warning: Int64 { min(60, limit / 3) }

    package var isLockDue: Bool { left <= warning }

    /// Until the next look. A use is noticed only by a look, so a lock may be that late: at most a
    /// quarter of the limit, and at most five seconds. The warning and the lock are never late.
    package var pause: Int64 {
        max(1, min(Self.pause(limit), isLockDue ? left : left - warning))
    }

    package static func pause(_ limit: Int64) -> Int64 { max(1, min(5, limit / 4)) }
}

extension Enrollments {
    /// The seconds since the account was last used; a use now restarts the count.
    func idleSeconds(of account: AccountID, isUsed: Bool, now: Int64) -> Int64 {
        state.withLock { state in
            if isUsed || state.lastUse[account] == nil { state.lastUse[account] = now }
            return now - (state.lastUse[account] ?? now)
        }
    }

    /// Whether listeners were told that the account will be locked.
    package func isIdleLockTold(of account: AccountID) -> Bool {
        state.withLock { $0.idleLocksTold.contains(account) }
    }

    /// True if that changes.
    package func noteIdleLock(of account: AccountID, isDue: Bool) -> Bool {
        state.withLock { state in
            isDue
                ? state.idleLocksTold.insert(account).inserted
                : state.idleLocksTold.remove(account) != nil
        }
    }
}
