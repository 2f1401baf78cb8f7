// How much a file system writes at once.

internal import Glibc

/// The size of a file system's blocks, which is what one of its writes replaces as a whole: that of
/// ext4, XFS, btrfs, tmpfs and what is below an overlay. Network file systems say what they send.
package func blockByteCount(ofFileSystem descriptor: Descriptor) throws(Errno) -> Int {
    var space = statvfs()
    _ = try retrying { fstatvfs(descriptor.raw, &space) }
    return Int(space.f_bsize)
}

/// What is lost where it is smaller, a block of ours being this large.
package let safeBlockByteCount = 4096
