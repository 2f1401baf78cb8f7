// Taking a mount away, as root and as anyone else.

internal import Glibc

/// umount2(2); where that is not permitted, the set-uid helper `fusermount3`.
///
/// `lazily`: also while it is busy, and then it goes when its last user does.
package func unmount(_ place: ByteString, lazily: Bool) throws(Errno) {
    do throws(Errno) {
        _ = try retrying { umount2(place.cString, lazily ? Int32(MNT_DETACH) : 0) }
    } catch {
        guard error == .notPermitted else { throw error }
        try unmountWithHelper(place, lazily: lazily)
    }
}

/// Takes lazily away the mount that the opened directory is the root of, whatever its path leads to
/// by now. The helper, which only a user's own mounts obey, knows no more than `place`.
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

/// The helper tells why it refuses only in words, on standard error. That is nearly always a busy
/// mount: `EBUSY`.
private func unmountWithHelper(_ place: ByteString, lazily: Bool) throws(Errno) {
    let words = ["fusermount3", "-q", "-u"] + (lazily ? ["-z"] : []) + ["--"]
    let process = try spawn(words.map { ByteString($0) } + [place])
    guard try wait(for: process) == .exited(0) else { throw .busy }
}
