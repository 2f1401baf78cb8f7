// Which connections are open, and whether another one may be.

internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// The open connections of one server.
///
/// A full table shuts nobody out: the user that has the most loses one to a user that has fewer.
final class ConnectionTable: Sendable {
    private struct State {
        var isOpen = true
        var nextKey = 0
        /// Counts what happens, to tell what happened longest ago.
        var moment = 0
        var connections: [Int: Entry] = [:]
        /// How many each user has.
        var counts: [UInt32: Int] = [:]
    }

    private struct Entry {
        let socket: Descriptor
        let uid: UInt32
        /// A call is being carried out.
        var isBusy = false
        /// The moment of the last change.
        var changed: Int
        /// Shut down for another's sake. Its thread may be busy still: it counts as its user's
        /// until that ends.
        var isCut = false

        /// Those that are missed least come first.
        var order: (Int, Int) { (isBusy ? 1 : 0, changed) }
    }

    private let limits: VarlinkServer.Limits
    private let state = Mutex(State())

    init(limits: VarlinkServer.Limits) { self.limits = limits }

    /// Enters a connection; nil when the user's share of the table is full, or the table is closed.
    func add(_ socket: Descriptor, of uid: UInt32) -> Int? {
        let (key, cut): (Int?, Descriptor?) = state.withLock { state in
            // First what costs nothing: a user may ask as often as it likes.
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

    /// One user's clients must not keep root out.
    private func isFull(for uid: UInt32, _ state: borrowing State) -> Bool {
        let all = state.connections.values.count { !$0.isCut }
        let ofUsers = state.connections.values.count { !$0.isCut && $0.uid != 0 }
        return all >= limits.connections || uid != 0 && ofUsers >= limits.connectionsOfUsers
    }

    /// The connection to be cut for a new one of a user: of the user that has the most, and more
    /// than that one; an idle one before one that is being served, and of these the one that has
    /// been so longest. Never root's.
    private func loser(to uid: UInt32, _ state: borrowing State) -> Int? {
        let candidates = state.connections.filter { !$0.value.isCut && $0.value.uid != 0 }
        let counts = Dictionary(grouping: candidates.values, by: \.uid).mapValues(\.count)
        guard let most = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            most.value > counts[uid] ?? 0
        else { return nil }
        return candidates.filter { $0.value.uid == most.key }
            .min { $0.value.order < $1.value.order }?.key
    }

    /// A call begins or ends.
    func note(_ key: Int, isBusy: Bool) {
        state.withLock { state in
            state.moment += 1
            state.connections[key]?.isBusy = isBusy
            state.connections[key]?.changed = state.moment
        }
    }

    func remove(_ key: Int) {
        // The entry leaves the lock before it goes, and may close the socket as it does.
        _ = state.withLock { state in
            let entry = state.connections.removeValue(forKey: key)
            if let uid = entry?.uid {
                state.counts[uid, default: 1] -= 1
                if state.counts[uid] == 0 { state.counts[uid] = nil }
            }
            return entry
        }
    }

    /// Lets no more in and ends the ones that are there; their threads notice and leave.
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
