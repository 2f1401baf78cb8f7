// Who may listen at a workspace's socket.

internal import CShims
internal import Glibc
package import MAMSystem

/// Root, or the user who asks. For root also the user who made the mount that is asked about, and
/// then no passphrase goes there: root that inherited a user's XDG_RUNTIME_DIR would look for its
/// sockets among the user's.
package struct Listener: Sendable, Equatable {
    /// The effective user of the process that listens, as the kernel tells it (`SO_PEERCRED`).
    package let user: UInt32
    /// 0 if it is in another name space of processes.
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

    /// It may be told secrets.
    package var isTrusted: Bool { user == 0 || user == ownUser }

    /// It may be asked about a mount that `owner` made; nil where no mount is asked about.
    package func mayServe(mountOf owner: UInt32?) -> Bool {
        isTrusted || ownUser == 0 && user == owner
    }
}
