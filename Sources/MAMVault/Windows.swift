// Every account's windows, and the lock under which they change.

internal import MAMLocks
package import MAMModel
internal import MAMSystem
internal import Synchronization

/// The windows of all accounts.
package final class Windows: Sendable {
    private let accounts = Guarded<[AccountID: AccountWindows]>([:])
    private let transitions = LockTable<AccountID>()
    package let keyNews = KeyNews()
    /// The window of files whose key is not on this device.
    let missing = AccessWindow(.closed)
    /// The window of files whose account is being wiped.
    let revoked = AccessWindow(.revoked)

    package subscript(account: AccountID) -> AccountWindows? {
        accounts.withLock { $0[account] }
    }

    package func add(_ account: AccountID) {
        accounts.withLock { accounts in
            if accounts[account] == nil { accounts[account] = AccountWindows() }
        }
    }

    package func remove(_ account: AccountID) -> AccountWindows? {
        accounts.withLock { $0.removeValue(forKey: account) }
    }

    /// Serialises an account's locks and unlocks, blocks and the decision of its wipe. Held during
    /// purges, so never taken by a thread that serves the mount, and never for two accounts by one
    /// thread. It comes after the locks of wipes and blocks, before all others.
    package func transition<Result, Failure: Error>(
        of account: AccountID, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try transitions.withLock(account, body)
    }

    /// By the identity of each window.
    var owners: [ObjectIdentifier: AccountID] {
        accounts.withLock { accounts in
            accounts.reduce(into: [:]) { owners, entry in
                for window in entry.value.all { owners[ObjectIdentifier(window)] = entry.key }
            }
        }
    }
}

/// Signalled when a key is loaded or destroyed, and when the daemon ends.
package final class KeyNews: Sendable {
    private struct State {
        var count = 0
        var isAwaited = false
    }

    private let state = Mutex(State())
    private let wakeUp = Semaphore()

    /// The number of signals; read it before examining what they may have changed.
    package var count: Int { state.withLock { $0.count } }

    package func tell() {
        let wakes = state.withLock { state in
            state.count += 1
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if wakes { wakeUp.signal() }
    }

    /// Returns once there was a signal after that count. For one thread at a time.
    package func wait(since count: Int) {
        let waits = state.withLock { state in
            state.isAwaited = state.count == count
            return state.isAwaited
        }
        if waits { wakeUp.wait() }
    }
}
