// The type of a file system.

internal import CShims
internal import Glibc
package import MAMModel

/// A statfs(2) magic number.
package struct FileSystemKind: Sendable {
    private let magic: Int64

    package init(of descriptor: Descriptor) throws(Errno) {
        magic = mam_file_system_kind(descriptor.raw)
        if magic < 0 { throw .current }
    }

    package init(at path: ByteString) throws(Errno) {
        magic = mam_file_system_kind_at(path.cString)
        if magic < 0 { throw .current }
    }

    package var isFUSE: Bool { magic == Int64(FUSE_SUPER_MAGIC) }

    /// A pseudo file system such as /proc: many of its files check the process that reads or
    /// writes, not the one that opened them.
    package var isKernels: Bool { Self.kernels.contains(magic) }

    /// Known to be local: an open file holds no resources on another machine.
    package var isLocal: Bool { Self.local.contains(magic) }

    /// Reads never wait for a disk.
    package var isInMemory: Bool { Self.inMemory.contains(magic) }

    private static let kernels: [Int64] = [
        Int64(PROC_SUPER_MAGIC), Int64(SYSFS_MAGIC), Int64(CGROUP_SUPER_MAGIC),
        Int64(CGROUP2_SUPER_MAGIC), Int64(DEBUGFS_MAGIC), Int64(TRACEFS_MAGIC),
        Int64(SECURITYFS_MAGIC), Int64(BINFMTFS_MAGIC), Int64(SELINUX_MAGIC),
        Int64(BPF_FS_MAGIC), Int64(EFIVARFS_MAGIC), Int64(NSFS_MAGIC),
    ]

    private static let inMemory: [Int64] = [Int64(TMPFS_MAGIC), Int64(RAMFS_MAGIC)]

    private static let local: [Int64] = [
        Int64(EXT4_SUPER_MAGIC), Int64(XFS_SUPER_MAGIC), Int64(BTRFS_SUPER_MAGIC),
        Int64(F2FS_SUPER_MAGIC), Int64(TMPFS_MAGIC), bcachefs, zfs,
    ]

    // Not in <linux/magic.h>.
    private static let bcachefs: Int64 = 0xca45_1a4e
    private static let zfs: Int64 = 0x2fc1_2fc1
}

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
