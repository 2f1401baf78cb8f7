// Looks up users by name.

internal import Glibc
internal import MAMLocks
internal import MAMModel

/// Caches the user database. That may be on the network: never call this from a thread that serves
/// the mount.
package final class UserIDs: Sendable {
    private let known = Guarded<[String: UInt32?]>([:])

    package init() {}

    /// Nil for an unknown name, and while the database does not answer.
    package subscript(name: String) -> UInt32? {
        if let found = known.withLock({ $0[name] }) { return found }
        let found = userID(named: name)
        known.withLock { $0[name] = .some(found) }
        return found
    }

    /// Empties the cache.
    package func forget() { known.withLock { $0 = [:] } }
}

/// Asks the user database each time.
package func userID(named name: String) -> UInt32? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // A larger entry is treated as missing.
    for byteCount in [4096, 65_536, 1 << 20] {
        var buffer = [CChar](repeating: 0, count: byteCount)
        let result = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        if result != ERANGE { return result == 0 && found != nil ? entry.pw_uid : nil }
    }
    return nil
}
