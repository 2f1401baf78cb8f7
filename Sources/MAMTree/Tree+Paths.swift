// The current paths of files.

package import MAMModel
package import MAMSystem

extension Tree {
    /// The path below the mount point, with a mark appended if the file was deleted.
    package func relativePath(of inode: Inode) -> ByteString? { relativePath(of: inode.handle) }

    package func relativePath(of handle: Descriptor) -> ByteString? {
        guard let backing = try? currentPath(of: root.raw) else { return nil }
        return try? currentPath(of: handle.raw).relative(to: backing)
    }

    package func mountedPath(of inode: Inode) -> ByteString? {
        relativePath(of: inode).map {
            ByteString(mountPoint.bytes + [UInt8(ascii: "/")] + $0.bytes)
        }
    }
}
