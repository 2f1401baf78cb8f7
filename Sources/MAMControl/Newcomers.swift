// Connections that were accepted and have no thread yet.

internal import MAMSystem

/// What the kernel has in one queue, in a queue for each user: who connects a thousand times a
/// second waits for its own connections, and another user waits for one of them.
final class Newcomers: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [UInt32: [Descriptor]] = [:]
        /// Whose turn it is: each user that has something waiting, once.
        var turns: [UInt32] = []
    }

    /// So many of one user's wait; one that connects before these have been served is sent away.
    private static let limit = 64

    private let state = Guarded(State())
    private let came = Semaphore()

    /// Never blocks. The connection is closed by being let go where there is no room.
    func add(_ socket: Descriptor, of user: UInt32) {
        let isTaken = state.withLock { state in
            guard state.isOpen, state.waiting[user]?.count ?? 0 < Self.limit else { return false }
            if state.waiting[user] == nil { state.turns.append(user) }
            state.waiting[user, default: []].append(socket)
            return true
        }
        if isTaken { came.signal() }
    }

    /// Waits for the next one, in turn by user; nil at the end.
    func next() -> (socket: Descriptor, user: UInt32)? {
        came.wait()
        return state.withLock { state in
            guard state.isOpen, !state.turns.isEmpty else { return nil }
            let user = state.turns.removeFirst()
            guard var own = state.waiting.removeValue(forKey: user) else { return nil }
            let socket = own.removeFirst()
            if !own.isEmpty {
                state.waiting[user] = own
                state.turns.append(user)
            }
            return (socket, user)
        }
    }

    /// Lets all go.
    func close() {
        let left = state.withLock { state in
            state.isOpen = false
            defer { state.waiting = [:] }
            return state.waiting
        }
        came.signal()
        _ = left
    }
}
