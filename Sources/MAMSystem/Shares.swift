// Fair shares: so much of something for each user at a time, so that one user's demand is never
// another's want.

internal import Glibc

/// Places of one kind, handed to users (docs/adr/0036-fair-shares.md).
///
/// A user gets another place while it has fewer than `each`, and fewer than are left over: however
/// much one user takes, the next one finds as much, and n users who want all of it get an nth and a
/// bit less. Who waits is served by user, the one first whose last turn is longest ago. Root and
/// the daemon's own user are bound by `total` alone, and go first.
package final class Shares: Sendable {
    private let each: Int
    private let total: Int
    private let state = Guarded(State())

    private struct State {
        var used = 0
        /// Those that have a place or wait for one.
        var users: [UInt32: User] = [:]
        var turns = 0
    }

    private struct User {
        var count = 0
        var lastTurn = 0
        /// In the order of their coming.
        var waiting: [Semaphore] = []
    }

    /// `each`: for one user. `total`: for all together.
    package init(each: Int = .max, total: Int = .max) {
        self.each = each
        self.total = total
    }

    /// False for root, and for the user whose daemon this is.
    package static func bind(_ user: UInt32) -> Bool { user != 0 && user != daemonUser }

    private static let daemonUser = geteuid()

    /// A place now, or none. Who gets one owes a ``giveBack(for:)``.
    package func take(for user: UInt32) -> Bool {
        state.withLock { state in
            guard mayTake(user, state) else { return false }
            grant(user, &state)
            return true
        }
    }

    /// A place once there is one for that user; false if the deadline passes first.
    package func wait(for user: UInt32, until deadline: Deadline? = nil) -> Bool {
        let turn = Semaphore()
        let isGranted = state.withLock { state in
            guard mayTake(user, state) else {
                state.users[user, default: User()].waiting.append(turn)
                return false
            }
            grant(user, &state)
            return true
        }
        if isGranted { return true }
        guard let deadline else {
            turn.wait()
            return true
        }
        return turn.wait(until: deadline) || !leave(turn, user)
    }

    package func giveBack(for user: UInt32) {
        let next: [Semaphore] = state.withLock { state in
            state.used -= 1
            state.users[user]?.count -= 1
            defer { forget(user, &state) }
            return serve(&state)
        }
        for turn in next { turn.signal() }
    }

    /// Runs a body in that user's turn, however long it is waited for.
    package func withTurn<Result, Failure: Error>(
        of user: UInt32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = wait(for: user)
        defer { giveBack(for: user) }
        return try body()
    }

    /// How many wait.
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
        state.turns += 1
        state.users[user, default: User()].count += 1
        state.users[user]?.lastTurn = state.turns
    }

    /// Gives what is free to who waits.
    private func serve(_ state: inout State) -> [Semaphore] {
        var served: [Semaphore] = []
        while let user = nextUser(state), let turn = state.users[user]?.waiting.removeFirst() {
            grant(user, &state)
            served.append(turn)
        }
        return served
    }

    private func nextUser(_ state: borrowing State) -> UInt32? {
        var best: (user: UInt32, key: (Int, Int))?
        for (user, entry) in state.users where !entry.waiting.isEmpty && mayTake(user, state) {
            let key = (Self.bind(user) ? 1 : 0, entry.lastTurn)
            if best.map({ key < $0.key }) ?? true { best = (user, key) }
        }
        return best?.user
    }

    /// False if the turn has come meanwhile.
    private func leave(_ turn: Semaphore, _ user: UInt32) -> Bool {
        state.withLock { state in
            guard let index = state.users[user]?.waiting.firstIndex(where: { $0 === turn }) else {
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

/// A place that goes back with the last reference to it.
package final class SharePlace: Sendable {
    private let shares: Shares
    private let user: UInt32

    /// Nil if there is none for the user now.
    package init?(in shares: Shares, for user: UInt32) {
        guard shares.take(for: user) else { return nil }
        self.shares = shares
        self.user = user
    }

    deinit { shares.giveBack(for: user) }
}
