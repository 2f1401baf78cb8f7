// Users of the machine by their names.

internal import Glibc

/// What the machine's user database says of names, asked once for each. It may be on the network:
/// never ask it from a thread that serves the mount.
package final class UserIDs: Sendable {
    private let known = Guarded<[String: UInt32?]>([:])

    package init() {}

    /// Nil for a name that is no user's, and while the database does not answer.
    package subscript(name: String) -> UInt32? {
        if let found = known.withLock({ $0[name] }) { return found }
        let found = userID(named: name)
        known.withLock { $0[name] = .some(found) }
        return found
    }

    /// Has it asked anew.
    package func forget() { known.withLock { $0 = [:] } }
}

private func userID(named name: String) -> UInt32? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // An entry that does not fit into the last of these is not one that anybody wants.
    for byteCount in [4096, 65_536, 1 << 20] {
        var buffer = [CChar](repeating: 0, count: byteCount)
        let result = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        if result != ERANGE { return result == 0 && found != nil ? entry.pw_uid : nil }
    }
    return nil
}
