// Root mounts by descriptor: the owner of a directory on the path could redirect a path meanwhile.

internal import CShims
internal import Glibc
package import MAMSystem

/// Where to mount.
package enum MountTarget {
    /// By libfuse, and so by `fusermount3`: an ordinary user's. Calls `whenMounted` as soon as the
    /// mount is there.
    case path(whenMounted: () -> Void)
    case directory(Descriptor)
    /// Beneath the dead mount with this root, which is then unmounted: the directory below is never
    /// visible. Fails before Linux 6.5.
    case deadMount(Descriptor)
    /// An opened /dev/fuse, mounted already. Its maker unmounts it.
    case mounted(device: Descriptor)
}

/// Mounts, and returns the opened /dev/fuse, which libfuse will close, and the mount's ID.
func mountByDescriptor(
    _ target: Descriptor, isDeadMount: Bool, at place: ByteString, name: String,
    _ options: MountOptions
) throws(Errno) -> (device: Int32, id: Int) {
    let device = try openFile("/dev/fuse", O_RDWR)
    return try withExtendedLifetime((device, target)) { () throws(Errno) in
        let mount = Descriptor(
            owning: try retrying {
                mam_new_fuse_mount(device.raw, name, "mamd", Int32(options.flags))
            })
        let id = try mountID(of: mount.raw)
        _ = try retrying { mam_attach_mount(mount.raw, target.raw, isDeadMount ? 1 : 0) }
        if isDeadMount { try unmount(rootedAt: target, place) }
        raiseReadAhead(ofMount: id)
        return (try retrying { fcntl(device.raw, F_DUPFD_CLOEXEC, 3) }, id)
    }
}

/// Lets the kernel read ahead by whole requests, one per processor up to four: threads open them
/// side by side while the reader copies earlier ones. An ordinary user's mount reads ahead by 128
/// KiB, since only root may change that (sysfs-class-bdi); failure does no harm.
private func raiseReadAhead(ofMount id: Int) {
    guard let device = try? MountTable().mount(id)?.device,
        let setting = try? openFile("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY)
    else { return }
    let requestCount = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let value = Array(String(requestCount * ReplyBuffer.byteCount / 1024).utf8)
    try? withExtendedLifetime(setting) { () throws(Errno) in
        try value.span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(setting.raw, from: bytes, at: 0)
        }
    }
}

/// Mounts for a daemon that will be started: returns its opened /dev/fuse.
package func mountByDescriptor(
    on target: MountTarget, at place: ByteString, name: String, _ options: MountOptions
) throws(MountSession.Failure) -> Descriptor {
    let (directory, isDead): (Descriptor, Bool)
    switch target {
    case .directory(let opened): (directory, isDead) = (opened, false)
    case .deadMount(let root): (directory, isDead) = (root, true)
    // Without root's rights there is no mounting by descriptors.
    case .path, .mounted: throw .failed(.notPermitted)
    }
    do throws(Errno) {
        return Descriptor(
            owning: try mountByDescriptor(
                directory, isDeadMount: isDead, at: place, name: name, options
            ).device)
    } catch { throw .failed(error) }
}
