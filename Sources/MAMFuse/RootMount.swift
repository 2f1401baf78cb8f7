// Root's mounts are made by descriptors: whoever owns a part of the path could lead root to another place meanwhile.

internal import CShims
internal import Glibc
package import MAMSystem
internal import MAMTree
internal import MAMWorkspace

/// What may be done in a mount.
package struct MountOptions: Sendable {
    /// Other users come in; a user's mount needs `user_allow_other` in /etc/fuse.conf for it.
    package var letsOthersIn: Bool
    package var isReadOnly: Bool
    /// No file in it is run as a program: `noexec`.
    package var forbidsPrograms: Bool
    package var accessTimes: AccessTimes
    /// Requests come through io_uring, if the kernel offers that.
    package var usesRing: Bool

    package init(
        letsOthersIn: Bool, isReadOnly: Bool, forbidsPrograms: Bool, accessTimes: AccessTimes,
        usesRing: Bool
    ) {
        self.letsOthersIn = letsOthersIn
        self.isReadOnly = isReadOnly
        self.forbidsPrograms = forbidsPrograms
        self.accessTimes = accessTimes
        self.usesRing = usesRing
    }

    /// As `mount -o` has them.
    var words: [String] {
        (letsOthersIn ? ["allow_other"] : []) + (isReadOnly ? ["ro"] : [])
            + (forbidsPrograms ? ["noexec"] : [])
            // fusermount3 knows none of the others.
            + (accessTimes.rule == .never ? ["noatime"] : [])
    }

    fileprivate var flags: Int {
        (letsOthersIn ? MAM_ALLOW_OTHER : 0) | (isReadOnly ? MAM_READ_ONLY : 0)
            | (forbidsPrograms ? MAM_NO_PROGRAMS : 0) | accessTimes.flags
    }
}

/// Which reads move access times, by the words of mount(8).
package struct AccessTimes: Sendable {
    fileprivate enum Rule { case always, ifOld, never }

    fileprivate var rule = Rule.ifOld
    private var skipsDirectories = false

    /// As mount(8) has it without a word.
    package init() {}

    /// False for a word that is about something else. What is said last counts.
    package mutating func take(_ word: Substring) -> Bool {
        switch word {
        case "noatime": rule = .never
        case "relatime", "atime", "nostrictatime": rule = .ifOld
        case "strictatime", "norelatime": rule = .always
        case "nodiratime": skipsDirectories = true
        case "diratime": skipsDirectories = false
        default: return false
        }
        return true
    }

    fileprivate var flags: Int {
        let flag = [Rule.never: MAM_NOATIME, .always: MAM_STRICTATIME, .ifOld: 0][rule] ?? 0
        return flag | (skipsDirectories ? MAM_NODIRATIME : 0)
    }
}

/// Where a mount is put.
package enum MountTarget {
    /// By libfuse, and so by `fusermount3`: an ordinary user's.
    case path
    case directory(Descriptor)
    /// Under the dead mount whose root this is, which is then taken away: there is no moment in which the directory below
    /// can be seen. Fails before Linux 6.5.
    case deadMount(Descriptor)
    /// An opened /dev/fuse whose mount is at the path already. Whoever made it takes it away.
    case mounted(device: Descriptor)
}

/// Mounts, and returns the opened /dev/fuse, which libfuse will close, and the mount's number.
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

/// Lets the kernel read ahead by whole requests, instead of an eighth of one: reads in sequence gain half. Only root may ask for
/// that, and only here (sysfs-class-bdi); where it cannot be had, nothing is lost.
private func raiseReadAhead(ofMount id: Int) {
    guard let device = try? MountTable().mount(id)?.device,
        let setting = try? openFile("/sys/class/bdi/\(device)/read_ahead_kb", O_WRONLY)
    else { return }
    let value = Array(String(ReplyBuffer.byteCount / 1024).utf8)
    try? withExtendedLifetime(setting) { () throws(Errno) in
        try value.span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(setting.raw, from: bytes, at: 0)
        }
    }
}

/// The same for a daemon that is yet to be started: its opened /dev/fuse.
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
