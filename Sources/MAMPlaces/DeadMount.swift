// What a killed daemon leaves: a mount that answers nothing, and is in the way of the next one.

internal import Glibc
package import MAMSystem

/// True of a workspace's mount whose daemon has died. While it stands, nobody can write into the
/// directory below it.
package func isDeadMount(_ place: ByteString) throws(Errno) -> Bool {
    guard let root = try? openFile(place.cString, openPathOnly) else { return false }
    return try isDeadMount(root)
}

/// The same of a mount's root that is opened, with `O_PATH`.
package func isDeadMount(_ root: Descriptor) throws(Errno) -> Bool {
    try withExtendedLifetime(root) { () throws(Errno) in
        // Attributes may still be in the kernel's cache; the free space never is.
        var space = statvfs()
        guard fstatvfs(root.raw, &space) != 0 else { return false }
        guard Errno.current.meansDeadDaemon else { return false }
        let place = try currentPath(of: root.raw)
        guard let mount = try MountTable().mount(of: root.raw) else { return false }
        return mount.workspace != nil && mount.mountPoint == place.bytes
    }
}
