// Accepted connections that wait for a thread.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// One queue per user, served round-robin, so that a user that connects a thousand times a second
/// delays another user by one connection only.
final class AcceptQueue: Sendable {
    private struct State {
        var isOpen = true
        var waiting: [UInt32: [Descriptor]] = [:]
        /// The users with waiting connections, in the order of service.
        var order: [UInt32] = []
    }

    /// Waiting connections per user; more are closed.
    private static let limit = 64

    private let state = Guarded(State())
    private let came = Semaphore()

    /// Never blocks. Drops, and thereby closes, the connection if the user's queue is full.
    func add(_ socket: Descriptor, of user: UInt32) {
        let isTaken = state.withLock { state in
            guard state.isOpen, state.waiting[user]?.count ?? 0 < Self.limit else { return false }
            if state.waiting[user] == nil { state.order.append(user) }
            state.waiting[user, default: []].append(socket)
            return true
        }
        if isTaken { came.signal() }
    }

    /// Waits for the next connection; nil after ``close()``.
    func next() -> (socket: Descriptor, user: UInt32)? {
        came.wait()
        return state.withLock { state in
            guard state.isOpen, !state.order.isEmpty else { return nil }
            let user = state.order.removeFirst()
            guard var own = state.waiting.removeValue(forKey: user) else { return nil }
            let socket = own.removeFirst()
            if !own.isEmpty {
                state.waiting[user] = own
                state.order.append(user)
            }
            return (socket, user)
        }
    }

    /// Closes all connections and ends ``next()``.
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
