// Which processes a client trusts to listen on a workspace's socket.

internal import CShims
internal import Glibc
package import MAMSystem

/// The process behind a workspace's socket. A client trusts root and its own user. Root also calls
/// the daemon of the user who made the mount in question, but sends it no passphrase: with an
/// inherited XDG_RUNTIME_DIR, root would find a user's socket in place of its own.
package struct Listener: Sendable, Equatable {
    /// The effective user of the listening process (`SO_PEERCRED`).
    package let user: UInt32
    /// 0 if it is in another PID namespace.
    let process: Int32
    private let ownUser: UInt32

    package init(user: UInt32, process: Int32 = 0, askedBy ownUser: UInt32 = geteuid()) {
        self.user = user
        self.process = process
        self.ownUser = ownUser
    }

    /// Nil if the socket is not connected.
    package init?(at socket: Descriptor) {
        var (process, user, group) = (Int32(0), UInt32(0), UInt32(0))
        let status = withExtendedLifetime(socket) {
            mam_peer(socket.raw, &process, &user, &group)
        }
        guard status == 0 else { return nil }
        self.init(user: user, process: process)
    }

    /// Whether it may receive secrets.
    package var isTrusted: Bool { user == 0 || user == ownUser }

    /// Whether to call it about a mount that `owner` made; nil if the call is about no mount.
    package func mayServe(mountOf owner: UInt32?) -> Bool {
        isTrusted || ownUser == 0 && user == owner
    }
}
