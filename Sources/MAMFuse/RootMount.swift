// Root's mounts are made by descriptors: whoever owns a part of the path could lead root to another place meanwhile.

internal import CShims
internal import Glibc
package import MAMSystem

/// Where a mount is put.
package enum MountTarget {
    /// By libfuse, and so by `fusermount3`: an ordinary user's.
    case path
    case directory(Descriptor)
    /// Under the dead mount whose root this is, which is then taken away: there is no moment in which the directory below
    /// can be seen. Fails before Linux 6.5.
    case deadMount(Descriptor)
}

/// Mounts, and returns the opened /dev/fuse, which libfuse will close, and the mount's number.
func mountByDescriptor(
    _ target: Descriptor, isDeadMount: Bool, at place: ByteString, name: String, allowOther: Bool,
    isReadOnly: Bool
) throws(Errno) -> (device: Int32, id: Int) {
    let device = try openFile("/dev/fuse", O_RDWR)
    let flags = (allowOther ? MAM_ALLOW_OTHER : 0) | (isReadOnly ? MAM_READ_ONLY : 0)
    return try withExtendedLifetime((device, target)) { () throws(Errno) in
        let mount = Descriptor(
            owning: try retrying { mam_new_fuse_mount(device.raw, name, "mamd", Int32(flags)) })
        let id = try mountID(of: mount.raw)
        _ = try retrying { mam_attach_mount(mount.raw, target.raw, isDeadMount ? 1 : 0) }
        if isDeadMount { try unmount(rootedAt: target, place) }
        return (try retrying { fcntl(device.raw, F_DUPFD_CLOEXEC, 3) }, id)
    }
}
