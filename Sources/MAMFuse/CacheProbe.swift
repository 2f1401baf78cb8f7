// Looking at the kernel's cache of one file, through the mount.

internal import CFuse3
internal import CShims
internal import Glibc
internal import MAMSystem
internal import Synchronization

/// A descriptor of a file in the mount, open for the daemon itself: no key and no window are asked for, and
/// nothing is ever read through it.
struct CacheProbe: ~Copyable {
    private let file: Descriptor

    private static let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

    /// Nil if the file cannot be opened: its mode shuts us out, or it has no name any more and we are not root.
    init?(_ inode: Inode, in files: FileSystem) {
        guard
            let file = files.probes.opening({ () throws(Errno) in
                do throws(Errno) { return try Self.openByPath(inode, in: files) } catch {
                    // It has no name any more, or we may not go there.
                    return try Self.openByNumber(inode, in: files)
                }
            }),
            let status = try? status(of: file.raw), UInt64(status.st_dev) == files.mountDevice,
            UInt64(status.st_ino) == inode.id.inode
        else { return nil }
        self.file = file
    }

    private static func openByPath(
        _ inode: Inode, in files: FileSystem
    ) throws(Errno) -> Descriptor {
        guard let path = files.mountedPath(of: inode) else { throw .noEntry }
        return try openFile(path.cString, flags)
    }

    private static func openByNumber(
        _ inode: Inode, in files: FileSystem
    ) throws(Errno) -> Descriptor {
        let mount = try openFile(files.mountPoint.cString, O_RDONLY | O_DIRECTORY)
        return try withExtendedLifetime(mount) { () throws(Errno) in
            Descriptor(
                owning: try retrying {
                    mam_open_fuse_node(mount.raw, inode.node, Entry.generation, flags)
                })
        }
    }

    /// Pages, in whatever state; nil if the kernel does not tell.
    var cachedPageCount: Int64? {
        let count = mam_cached_pages(file.raw)
        return count < 0 ? nil : count
    }

    /// Returns when every write(2) that is under way has ended.
    ///
    /// Setting an attribute takes the inode's lock in the kernel, which a write holds. We refuse the attribute
    /// ourselves, after that.
    func waitForWriters() {
        try? withProcPath(of: file.raw) { path throws(Errno) in
            try MAMSystem.setExtendedAttribute(
                path, FileSystem.virtualPrefix + "lock", to: .init(start: nil, count: 0))
        }
    }
}

/// The threads of ours that are opening a file in the mount, so that the thread which serves that request knows.
final class Probes: Sendable {
    private let threads = Mutex<Set<Int32>>([])

    func opening(_ body: () throws(Errno) -> Descriptor) -> Descriptor? {
        let own = mam_thread_id()
        threads.withLock { _ = $0.insert(own) }
        defer { threads.withLock { _ = $0.remove(own) } }
        return try? body()
    }

    func isOpening(_ thread: Int32) -> Bool { threads.withLock { $0.contains(thread) } }
}

extension FileSystem {
    /// Where a file stands in the mount; nil for one that has no name any more.
    func mountedPath(of inode: Inode) -> ByteString? {
        guard let backing = try? currentPath(of: root.raw),
            let path = try? currentPath(of: inode.handle.raw),
            let relative = path.relative(to: backing)
        else { return nil }
        return ByteString(mountPoint.bytes + [UInt8(ascii: "/")] + relative.bytes)
    }
}
