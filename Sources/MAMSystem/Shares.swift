// A semaphore that is fair between users.

internal import Glibc
internal import MAMLocks
internal import MAMModel

/// Slots shared between users (docs/adr/0036-fair-shares.md).
///
/// A user gets another slot while it holds fewer than `each` and fewer than are free, so one user
/// never takes all. Waiting users are served in the order of their last grants, the oldest first.
/// Root and the daemon's user are limited by `total` only, and go first.
package final class Shares: Sendable {
    private let each: Int
    private let total: Int
    private let state = Guarded(State())

    private struct State {
        var used = 0
        /// Users that hold a slot or wait for one.
        var users: [UInt32: User] = [:]
        var grants = 0
    }

    private struct User {
        var count = 0
        var lastGrant = 0
        /// In the order of arrival.
        var waiting: [Semaphore] = []
    }

    /// `each`: slots per user. `total`: slots of all users.
    package init(each: Int = .max, total: Int = .max) {
        self.each = each
        self.total = total
    }

    /// False for root and for the daemon's own user.
    package static func bind(_ user: UInt32) -> Bool { user != 0 && user != daemonUser }

    private static let daemonUser = geteuid()

    /// Takes a slot without waiting. Pair each success with a ``giveBack(for:)``.
    package func take(for user: UInt32) -> Bool {
        state.withLock { state in
            guard mayTake(user, state) else { return false }
            grant(user, &state)
            return true
        }
    }

    /// Whether ``take(for:)`` would succeed now.
    package func hasRoom(for user: UInt32) -> Bool { state.withLock { mayTake(user, $0) } }

    /// Waits for a slot; false if the deadline passes first.
    package func wait(for user: UInt32, until deadline: Deadline? = nil) -> Bool {
        let waiter = Semaphore()
        let isGranted = state.withLock { state in
            guard mayTake(user, state) else {
                state.users[user, default: User()].waiting.append(waiter)
                return false
            }
            grant(user, &state)
            return true
        }
        if isGranted { return true }
        guard let deadline else {
            waiter.wait()
            return true
        }
        return waiter.wait(until: deadline) || !leave(waiter, user)
    }

    package func giveBack(for user: UInt32) {
        let next: [Semaphore] = state.withLock { state in
            state.used -= 1
            state.users[user]?.count -= 1
            defer { forget(user, &state) }
            return serve(&state)
        }
        for waiter in next { waiter.signal() }
    }

    /// Runs `body` while holding a slot; waits for the slot without a limit.
    package func withSlot<Result, Failure: Error>(
        of user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = wait(for: user)
        defer { giveBack(for: user) }
        return try body()
    }

    /// The number of waiting threads.
    package var waitingCount: Int {
        state.withLock { $0.users.values.reduce(0) { $0 + $1.waiting.count } }
    }

    // MARK: Under the lock

    private func mayTake(_ user: UInt32, _ state: borrowing State) -> Bool {
        guard state.used < total else { return false }
        let count = state.users[user]?.count ?? 0
        return !Self.bind(user) || count < min(each, total - state.used)
    }

    private func grant(_ user: UInt32, _ state: inout State) {
        state.used += 1
        state.grants += 1
        state.users[user, default: User()].count += 1
        state.users[user]?.lastGrant = state.grants
    }

    /// Hands the free slots to waiters.
    private func serve(_ state: inout State) -> [Semaphore] {
        var served: [Semaphore] = []
        while let user = nextUser(state), let waiter = state.users[user]?.waiting.removeFirst() {
            grant(user, &state)
            served.append(waiter)
        }
        return served
    }

    private func nextUser(_ state: borrowing State) -> UInt32? {
        var best: (user: UInt32, key: (Int, Int))?
        for (user, entry) in state.users where !entry.waiting.isEmpty && mayTake(user, state) {
            let key = (Self.bind(user) ? 1 : 0, entry.lastGrant)
            if best.map({ key < $0.key }) ?? true { best = (user, key) }
        }
        return best?.user
    }

    /// Stops waiting; false if the slot was granted meanwhile.
    private func leave(_ waiter: Semaphore, _ user: UInt32) -> Bool {
        state.withLock { state in
            guard let index = state.users[user]?.waiting.firstIndex(where: { $0 === waiter }) else {
                return false
            }
            state.users[user]?.waiting.remove(at: index)
            forget(user, &state)
            return true
        }
    }

    private func forget(_ user: UInt32, _ state: inout State) {
        guard let entry = state.users[user], entry.count == 0, entry.waiting.isEmpty else { return }
        state.users[user] = nil
    }
}

/// A slot that is returned when the last reference to it goes away.
package final class ShareSlot: Sendable {
    private let shares: Shares
    private let user: UInt32

    /// Nil if the user can have no slot now.
    package init?(in shares: Shares, for user: UInt32) {
        guard shares.take(for: user) else { return nil }
        self.shares = shares
        self.user = user
    }

    deinit { shares.giveBack(for: user) }
}
