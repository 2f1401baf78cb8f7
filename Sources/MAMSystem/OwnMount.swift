// The daemon's own mount, wherever it is by now.

internal import Glibc

/// Known by its number: the path at which it was made may lead to another mount meanwhile. And by
/// its file system: once it is gone its number may be another daemon's mount's, while a copy in
/// another mount name space keeps this one serving.
package struct OwnMount {
    private let id: Int
    private let device: String

    package init(id: Int) throws(Errno) {
        guard let mount = try MountTable().mount(id) else { throw .noEntry }
        (self.id, device) = (id, mount.device)
    }

    /// The one that is seen at the path.
    package init(at place: ByteString) throws(Errno) {
        let root = try openFile(place.cString, openPathOnly)
        try self.init(
            id: withExtendedLifetime(root) { () throws(Errno) in try mountID(of: root.raw) })
    }

    /// Lazily: also while files are open. Does nothing if somebody has taken it away already.
    package func takeAway() throws(Errno) {
        guard let mount = try MountTable().mount(id), mount.device == device else { return }
        let place = ByteString(mount.mountPoint)
        let root = try openFile(place.cString, openPathOnly)
        // Another one is mounted over it, or it was moved this very moment.
        guard try mountID(of: root.raw) == id else { throw .busy }
        try unmount(rootedAt: root, place)
    }
}
