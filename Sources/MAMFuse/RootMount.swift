// Root mounts by descriptor: the owner of a directory on the path could redirect a path meanwhile.

internal import CShims
internal import Glibc
package import MAMModel
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
        setCacheLimits(ofMount: id)
        return (try retrying { fcntl(device.raw, F_DUPFD_CLOEXEC, 3) }, id)
    }
}

/// Lets the kernel read ahead by whole requests, one per processor up to four: threads open them
/// side by side while the reader copies earlier ones; and keeps it to the mount's share of cached
/// writes, which is its default up to Linux 6.18. An ordinary user's mount reads ahead by 128 KiB,
/// since only root may change that (sysfs-class-bdi); failure does no harm.
private func setCacheLimits(ofMount id: Int) {
    guard let device = try? MountTable().mount(id)?.device else { return }
    let requestCount = max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let settings = [
        "read_ahead_kb": requestCount * ReplyBuffer.byteCount / 1024, "strict_limit": 1,
    ]
    for (name, value) in settings {
        guard let setting = try? openFile("/sys/class/bdi/\(device)/\(name)", O_WRONLY) else {
            continue
        }
        try? withExtendedLifetime(setting) { () throws(Errno) in
            try Array(String(value).utf8).span.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(setting.raw, from: bytes, at: 0)
            }
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
