// The unit in which a file system writes.

internal import Glibc
package import MAMModel

/// The block size of the file system, which it replaces as a whole on each write: the value of
/// ext4, XFS, btrfs, tmpfs or the layer below an overlay. Network file systems report their
/// transfer size.
package func blockByteCount(ofFileSystem descriptor: Descriptor) throws(Errno) -> Int {
    var space = statvfs()
    _ = try retrying { fstatvfs(descriptor.raw, &space) }
    return Int(space.f_bsize)
}

/// Below this size a crash can tear one of mamd's blocks, which has 4096 bytes.
package let safeBlockByteCount = 4096
