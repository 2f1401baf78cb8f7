// statx(2) without a request to the file system.

internal import CShims
package import Glibc
package import MAMModel

/// What the kernel remembers of a file. Its file system, which may hang, or be one's own, is not
/// asked: a daemon that is killed while it waits for its own answer never ends.
package struct CachedFacts {
    package let device: UInt64
    package let inode: UInt64
    /// `st_mode & S_IFMT`.
    package let type: mode_t
    package let uid: uid_t
    package let isReadableByOwner: Bool
    package let size: UInt64
    package let isMountRoot: Bool
    /// Of the mount that it was opened through, as in ``MountTable``.
    package let mountID: Int

    package init(of descriptor: Int32) throws(Errno) {
        var facts = mam_cached_facts()
        _ = try retrying { mam_cached_facts(descriptor, &facts) }
        (device, inode) = (facts.device, facts.inode)
        (type, uid, size) = (facts.mode & S_IFMT, facts.uid, facts.size)
        isReadableByOwner = facts.mode & S_IRUSR != 0
        isMountRoot = facts.is_mount_root != 0
        mountID = Int(facts.mount_id)
    }
}
