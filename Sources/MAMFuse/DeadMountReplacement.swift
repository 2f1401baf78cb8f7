// Taking the place of a mount whose daemon has died, without a moment in which the directory below can be seen.

internal import CShims
internal import Glibc
internal import MAMSystem

/// Puts a new mount under the dead one, and takes the dead one away. Returns the opened /dev/fuse of the new one, which
/// libfuse will close.
///
/// Fails for an ordinary user, and before Linux 6.5.
func replaceDeadMount(
    at place: ByteString, name: String, allowOther: Bool, isReadOnly: Bool
) throws(Errno) -> Int32 {
    let device = try openFile("/dev/fuse", O_RDWR)
    let flags = (allowOther ? MAM_ALLOW_OTHER : 0) | (isReadOnly ? MAM_READ_ONLY : 0)
    let mount = Descriptor(
        owning: try retrying { mam_new_fuse_mount(device.raw, name, "mamd", Int32(flags)) })
    _ = try retrying { mam_put_mount_beneath(mount.raw, place.cString) }
    // The top one, which is the dead one still.
    try unmount(place, lazily: true)
    return try retrying { fcntl(device.raw, F_DUPFD_CLOEXEC, 3) }
}
