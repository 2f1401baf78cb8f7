// Taking a mount away, as root and as anyone else.

internal import Glibc

/// umount2(2); where that is not permitted, the set-uid helper `fusermount3`.
///
/// The helper tells why it refuses only in words, on standard error. That is nearly always a busy mount: `EBUSY`.
/// `lazily`: also while it is busy, and then it goes when its last user does.
package func unmount(_ place: ByteString, lazily: Bool) throws(Errno) {
    do throws(Errno) {
        _ = try retrying { umount2(place.cString, lazily ? Int32(MNT_DETACH) : 0) }
    } catch {
        guard error == .notPermitted else { throw error }
        let words = ["fusermount3", "-q", "-u"] + (lazily ? ["-z"] : []) + ["--"]
        let process = try spawn(words.map { ByteString($0) } + [place])
        guard try wait(for: process) == .exited(0) else { throw .busy }
    }
}
