// The open connections, and the admission of new ones.

internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// The open connections of one server.
///
/// When the table is full, the user with the most connections loses one to a user with fewer.
final class ConnectionTable: Sendable {
    private struct State {
        var isOpen = true
        var nextKey = 0
        /// A logical clock, to find the least recently used connection.
        var moment = 0
        var connections: [Int: Entry] = [:]
        /// The number of connections per user.
        var counts: [UInt32: Int] = [:]
    }

    private struct Entry {
        let socket: Descriptor
        let uid: UInt32
        /// A call is running.
        var isBusy = false
        /// The moment of the last change.
        var changed: Int
        /// Shut down to make room. Its thread may still be busy: it counts against its user until
        /// the thread ends.
        var isCut = false

        /// The order of eviction: idle before busy, then least recently used.
        var order: (Int, Int) { (isBusy ? 1 : 0, changed) }
    }

    private let limits: VarlinkServer.Limits
    private let state = Mutex(State())

    init(limits: VarlinkServer.Limits) { self.limits = limits }

    /// Adds a connection and returns its key; nil if the user's share is full or the table is
    /// closed.
    func add(_ socket: Descriptor, of uid: UInt32) -> Int? {
        let (key, cut): (Int?, Descriptor?) = state.withLock { state in
            // The cheap checks first: a user can connect as often as it likes.
            guard state.isOpen, uid == 0 || state.counts[uid] ?? 0 < limits.connectionsPerUser
            else { return (nil, nil) }
            var cut: Descriptor?
            if isFull(for: uid, state) {
                guard let loser = loser(to: uid, state) else { return (nil, nil) }
                cut = state.connections[loser]?.socket
                state.connections[loser]?.isCut = true
            }
            state.nextKey += 1
            state.moment += 1
            state.counts[uid, default: 0] += 1
            state.connections[state.nextKey] = Entry(
                socket: socket, uid: uid, changed: state.moment)
            return (state.nextKey, cut)
        }
        if let cut { UnixSocket.shutDown(cut) }
        return key
    }

    /// Users' connections have a lower limit, so that they cannot keep root out.
    private func isFull(for uid: UInt32, _ state: borrowing State) -> Bool {
        let all = state.connections.values.count { !$0.isCut }
        let ofUsers = state.connections.values.count { !$0.isCut && $0.uid != 0 }
        return all >= limits.connections || uid != 0 && ofUsers >= limits.connectionsOfUsers
    }

    /// The connection to evict for a new one of `uid`: the first in eviction order of the user with
    /// the most connections, if that is more than `uid` has. Never one of root's.
    private func loser(to uid: UInt32, _ state: borrowing State) -> Int? {
        let candidates = state.connections.filter { !$0.value.isCut && $0.value.uid != 0 }
        let counts = Dictionary(grouping: candidates.values, by: \.uid).mapValues(\.count)
        guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            most.value > counts[uid] ?? 0
        else { return nil }
        return candidates.filter { $0.value.uid == most.key }
            .min { $0.value.order < $1.value.order }?.key
    }

    /// Notes that a call begins or ends.
    func note(_ key: Int, isBusy: Bool) {
        state.withLock { state in
            state.moment += 1
            state.connections[key]?.isBusy = isBusy
            state.connections[key]?.changed = state.moment
        }
    }

    func remove(_ key: Int) {
        // Release the entry outside the lock: that may close the socket.
        _ = state.withLock { state in
            let entry = state.connections.removeValue(forKey: key)
            if let uid = entry?.uid {
                state.counts[uid, default: 1] -= 1
                if state.counts[uid] == 0 { state.counts[uid] = nil }
            }
            return entry
        }
    }

    /// Refuses further connections and shuts down the open ones, which ends their threads.
    func close() {
        let sockets = state.withLock { state in
            state.isOpen = false
            return state.connections.values.map(\.socket)
        }
        for socket in sockets { UnixSocket.shutDown(socket) }
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    var isEmpty: Bool { state.withLock { $0.connections.isEmpty } }
}
