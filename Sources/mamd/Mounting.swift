// Mounts a file system, or reports what prevents it.

import Glibc
internal import MAMCommandLine
import MAMFuse
internal import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMTree
import MAMWire

func mount(
    _ tree: Tree, at mountPoint: ByteString, _ name: WorkspaceName, _ arguments: StartOptions,
    _ device: Descriptor?, report: (String) -> Void
) throws(Failure) -> MountSession {
    func session(on target: MountTarget) throws(MountSession.Failure) -> MountSession {
        try MountSession(
            tree, at: mountPoint, on: target, name: name.description,
            arguments.mountOptions)
    }
    guard let device else {
        return try place(
            at: mountPoint, of: name, arguments.shutting, report: report, session)
    }
    try checkIsReached(mountPoint, isReadOnly: arguments.isReadOnly)
    do throws(MountSession.Failure) { return try session(on: .mounted(device: device)) } catch {
        throw Failure(mountAdvice(mountPoint, error))
    }
}

/// Mounts at a free place, or replaces a dead mount.
func place<Mounted>(
    at mountPoint: ByteString, of name: WorkspaceName, _ shutting: Shutting,
    report: (String) -> Void, _ session: (MountTarget) throws(MountSession.Failure) -> Mounted
) throws(Failure) -> Mounted {
    func mount(on target: MountTarget) throws(Failure) -> Mounted {
        do throws(MountSession.Failure) { return try session(target) } catch {
            throw Failure(mountAdvice(mountPoint, error))
        }
    }
    guard geteuid() != 0 else {
        return try placeAsRoot(at: mountPoint, report: report, mount, session)
    }
    let covered = try CoveredMountPoint(
        try uncoveredDirectory(at: mountPoint), at: mountPoint, of: name, shutting,
        report: report)
    try covered.open()
    var finding: String?
    var isOpen = true
    // At once: the rest of the start takes as long again.
    func close() {
        if isOpen { (finding, isOpen) = (covered.close(), false) }
    }
    defer {
        close()
        if let finding { report(finding) }
    }
    return try mount(on: .path(whenMounted: close))
}

private func placeAsRoot<Mounted>(
    at mountPoint: ByteString, report: (String) -> Void,
    _ mount: (MountTarget) throws(Failure) -> Mounted,
    _ session: (MountTarget) throws(MountSession.Failure) -> Mounted
) throws(Failure) -> Mounted {
    let dead = try deadMount(at: mountPoint)
    if let dead {
        do throws(MountSession.Failure) { return try session(.deadMount(dead)) } catch {
            report(
                "\(mountPoint.shown) has the mount of a daemon that died. It is removed first, as"
                    + " the new mount cannot be placed below it: \(error)"
            )
        }
    }
    let directory = try uncoveredDirectory(at: mountPoint)
    if dead == nil { try checkIsEmpty(directory, at: mountPoint) }
    let mounted = try mount(.directory(directory))
    if let finding = hiddenFiles(in: directory, at: mountPoint) { report(finding) }
    return mounted
}

private func mountAdvice(_ mountPoint: ByteString, _ failure: MountSession.Failure) -> Message {
    if access("/dev/fuse", F_OK) != 0 {
        return "/dev/fuse does not exist; run: modprobe fuse (in a container: --device /dev/fuse)"
    }
    if access("/dev/fuse", R_OK | W_OK) != 0 {
        return
            "/dev/fuse is not accessible to uid \(geteuid()); run as root: chmod 666 /dev/fuse"
    }
    if case .failed(let error) = failure {
        return "\(mountPoint.shown) could not be mounted: \(error)"
    }
    if let found = try? status(at: workingDirectory, mountPoint.cString),
        ShutMountPoint.isShut(found)
    {
        return
            "\(mountPoint.shown) is shut even to its owner, and not known as this workspace's mount"
            + " point; mount with -o shut, or run: chmod 700 \(mountPoint.shown)"
    }
    return
        "\(mountPoint.shown) could not be mounted; see the message above, and check that"
        + " fusermount3 is installed"
}
