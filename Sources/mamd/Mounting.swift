// Mounts a file system, or reports what prevents it.

import Glibc
import MAMFuse
internal import MAMPlaces
import MAMSystem
import MAMTree
import MAMWire

func mount(
    _ tree: Tree, at mountPoint: ByteString, _ name: WorkspaceName, _ arguments: Arguments,
    _ device: Descriptor?, report: (String) -> Void
) throws(StartError) -> MountSession {
    func session(on target: MountTarget) throws(MountSession.Failure) -> MountSession {
        try MountSession(
            tree, at: mountPoint, on: target, name: name.description,
            arguments.mountOptions)
    }
    guard let device else { return try place(at: mountPoint, report: report, session) }
    try checkIsReached(mountPoint, isReadOnly: arguments.isReadOnly)
    do throws(MountSession.Failure) { return try session(on: .mounted(device: device)) } catch {
        throw StartError(mountAdvice(mountPoint, error))
    }
}

/// Mounts at a free place, or replaces a dead mount.
func place<Mounted>(
    at mountPoint: ByteString, report: (String) -> Void,
    _ session: (MountTarget) throws(MountSession.Failure) -> Mounted
) throws(StartError) -> Mounted {
    let isRoot = geteuid() == 0
    let dead = isRoot ? try deadMount(at: mountPoint) : nil
    if let dead {
        do throws(MountSession.Failure) { return try session(.deadMount(dead)) } catch {
            report(
                "\(mountPoint.shown) has the mount of a daemon that died. It is removed first, as"
                    + " the new mount cannot be placed below it: \(error)"
            )
        }
    }
    let covered = try uncoveredDirectory(at: mountPoint)
    if isRoot, dead == nil { try checkIsEmpty(covered, at: mountPoint) }
    do throws(MountSession.Failure) {
        let mounted = try session(isRoot ? .directory(covered) : .path)
        if let finding = hiddenFiles(in: covered, at: mountPoint) { report(finding) }
        return mounted
    } catch {
        throw StartError(mountAdvice(mountPoint, error))
    }
}

private func mountAdvice(_ mountPoint: ByteString, _ failure: MountSession.Failure) -> String {
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
    return
        "\(mountPoint.shown) could not be mounted; see the message above, and check that"
        + " fusermount3 is installed"
}
