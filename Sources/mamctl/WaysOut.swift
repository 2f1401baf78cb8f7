// Descriptors that a contained command would inherit.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// Refuses standard streams through which the command could pass on what it reads. A terminal is
/// none: its person may read. The supervisor closes all other descriptors.
func refuseWaysOut(of workspace: Mount) throws(Failure) {
    let names: [Message] = ["standard input", "standard output", "standard error"]
    for (number, name) in zip(STDIN_FILENO...STDERR_FILENO, names) {
        guard let place = wayOut(number, workspace) else { continue }
        throw Failure(
            .refused, "\(name) leads out of the workspace, to \(place)",
            next: "let the command write to a file in the workspace, or add --discard-output")
    }
}

/// The standard streams that ``refuseWaysOut`` refuses.
func waysOut(of workspace: Mount) -> [Int32] {
    (STDIN_FILENO...STDERR_FILENO).filter { wayOut($0, workspace) != nil }
}

/// Where a descriptor leads that can be written to; nil if not outside.
private func wayOut(_ number: Int32, _ workspace: Mount) -> Message? {
    guard fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY, let file = try? duplicate(number),
        let status = try? status(of: file.raw)
    else { return nil }
    switch status.st_mode & S_IFMT {
    case S_IFCHR where isatty(number) == 1 || isNull(status): return nil
    case S_IFREG where isIn(workspace, file): return nil
    case S_IFIFO: return "a pipe"
    case S_IFSOCK: return "a socket"
    default:
        return (try? currentPath(of: number)).map { .verbatim($0.shown) } ?? "a file"
    }
}

/// The device, since the name may be another workspace's too.
private func isIn(_ workspace: Mount, _ file: Descriptor) -> Bool {
    let mount = try? MountTable().mount(of: file.raw)
    return mount?.device == workspace.device && mount?.workspace == workspace.workspace
}

/// /dev/null, /dev/zero and /dev/full.
private func isNull(_ status: stat) -> Bool {
    let memoryDevices: UInt32 = 1
    return major(status.st_rdev) == memoryDevices && [3, 5, 7].contains(minor(status.st_rdev))
}

private func major(_ device: dev_t) -> UInt32 {
    UInt32(truncatingIfNeeded: device >> 8 & 0xfff | device >> 32 & ~0xfff)
}

private func minor(_ device: dev_t) -> UInt32 {
    UInt32(truncatingIfNeeded: device & 0xff | device >> 12 & ~0xff)
}
