// Unmounting, with or without privileges.

internal import Glibc
package import MAMModel

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
