// A mount whose daemon was killed: it answers nothing, and blocks the next mount.

internal import Glibc
package import MAMModel
package import MAMSystem

/// True for a workspace's mount whose daemon has died. While it exists, nothing can be written into
/// the directory below it.
package func isDeadMount(_ place: ByteString) throws(Errno) -> Bool {
    guard let root = try? openFile(place.cString, openPathOnly) else { return false }
    return try isDeadMount(root)
}

/// For the root of a mount, opened with `O_PATH`.
package func isDeadMount(_ root: Descriptor) throws(Errno) -> Bool {
    try withExtendedLifetime(root) { () throws(Errno) in
        // Attributes may be in the kernel's cache; statvfs always asks the daemon.
        var space = statvfs()
        guard fstatvfs(root.raw, &space) != 0 else { return false }
        guard Errno.current.meansDeadDaemon else { return false }
        let place = try currentPath(of: root.raw)
        guard let mount = try MountTable().mount(of: root.raw) else { return false }
        return mount.workspace != nil && mount.mountPoint == place.bytes
    }
}
