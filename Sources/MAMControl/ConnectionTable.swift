// Which connections are open, and whether another one may be.

internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// The open connections of one server.
final class ConnectionTable: Sendable {
    private struct State {
        var isOpen = true
        var nextKey = 0
        var connections: [Int: Entry] = [:]
    }

    private struct Entry {
        let socket: Descriptor
        let uid: UInt32
    }

    private let limits: VarlinkServer.Limits
    private let state = Mutex(State())

    init(limits: VarlinkServer.Limits) { self.limits = limits }

    /// Enters a connection; nil when the table or the user's share of it is full, or closed.
    func add(_ socket: Descriptor, of peer: Peer) -> Int? {
        state.withLock { state in
            guard state.isOpen, state.connections.count < limits.connections else { return nil }
            let same = state.connections.values.count { $0.uid == peer.uid }
            // One user's idle clients must not shut out the others, nor all of theirs root.
            guard same < limits.connectionsPerUser else { return nil }
            let ofUsers = state.connections.values.count { $0.uid != 0 }
            guard peer.uid == 0 || ofUsers < limits.connectionsOfUsers else { return nil }
            state.nextKey += 1
            state.connections[state.nextKey] = Entry(socket: socket, uid: peer.uid)
            return state.nextKey
        }
    }

    func remove(_ key: Int) {
        // The entry leaves the lock before it goes, and may close the socket as it does.
        _ = state.withLock { $0.connections.removeValue(forKey: key) }
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
