// The daemon's own mount, even after it was moved.

internal import Glibc
package import MAMModel

/// Identified by its mount id, because its original path may lead to another mount by now; and by
/// its device, because the kernel may reuse the id once this mount is gone, while a copy in another
/// mount namespace keeps this daemon serving.
package struct OwnMount: Sendable {
    private let id: Int
    /// The number of its file system, such as `0:45`.
    package let device: String

    package init(id: Int) throws(Errno) {
        guard let mount = try MountTable().mount(id) else { throw .noEntry }
        (self.id, device) = (id, mount.device)
    }

    /// The topmost mount at the path.
    package init(at place: ByteString) throws(Errno) {
        let root = try openFile(place.cString, openPathOnly)
        try self.init(
            id: withExtendedLifetime(root) { () throws(Errno) in try mountID(of: root.raw) })
    }

    /// Where it is now; nil if it is gone.
    package var place: ByteString? {
        guard let mount = try? MountTable().mount(id), mount.device == device else { return nil }
        return ByteString(mount.mountPoint)
    }

    /// Unmounts lazily, so also while files are open. Does nothing if the mount is gone.
    package func takeAway() throws(Errno) {
        guard let mount = try MountTable().mount(id), mount.device == device else { return }
        let place = ByteString(mount.mountPoint)
        let root = try openFile(place.cString, openPathOnly)
        // Another mount covers it, or it was just moved.
        guard try mountID(of: root.raw) == id else { throw .busy }
        try unmount(rootedAt: root, place)
    }
}

/// umount2(2), or the set-uid helper `fusermount3` where that is not permitted.
///
/// `lazily`: also while busy; the mount then disappears with its last user.
package func unmount(_ place: ByteString, lazily: Bool) throws(Errno) {
    do throws(Errno) {
        _ = try retrying { umount2(place.cString, lazily ? Int32(MNT_DETACH) : 0) }
    } catch {
        guard error == .notPermitted else { throw error }
        try unmountWithHelper(place, lazily: lazily)
    }
}

/// Lazily unmounts the mount whose root `root` is, wherever its path leads by now. The helper,
/// which serves only a user's own mounts, takes nothing but the path `place`.
package func unmount(rootedAt root: Descriptor, _ place: ByteString) throws(Errno) {
    do throws(Errno) {
        try withExtendedLifetime(root) { () throws(Errno) in
            try withProcPath(of: root.raw) { path throws(Errno) in
                _ = try retrying { umount2(path, Int32(MNT_DETACH)) }
            }
        }
    } catch {
        guard error == .notPermitted else { throw error }
        try unmountWithHelper(place, lazily: true)
    }
}

/// The helper gives its reason only as text on standard error. It is nearly always a busy mount:
/// `EBUSY`.
private func unmountWithHelper(_ place: ByteString, lazily: Bool) throws(Errno) {
    let words = ["fusermount3", "-q", "-u"] + (lazily ? ["-z"] : []) + ["--"]
    let process = try spawn(words.map { ByteString($0) } + [place])
    guard try wait(for: process) == .exited(0) else { throw .busy }
}
