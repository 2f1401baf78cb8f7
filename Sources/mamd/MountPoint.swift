// The mount point before and after mounting: dead mounts, and files that the mount hides.

import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
import MAMSystem
import MAMWire

/// The path to serve, with links resolved.
func mountPlace(_ path: ByteString) throws(Failure) -> ByteString {
    let directory = try openMountPoint(path)
    do throws(Errno) {
        return try withExtendedLifetime(directory) { () throws(Errno) in
            try currentPath(of: directory.raw)
        }
    } catch { throw notUsable(path, error) }
}

func openMountPoint(_ path: ByteString) throws(Failure) -> Descriptor {
    do throws(PathFailure) { return try openTrusted(path) } catch {
        guard case .failed(let error) = error else {
            throw Failure("\(path.shown): \(error)")
        }
        throw notUsable(path, error)
    }
}

/// A lock inspects the kernel's cache through the mount, so the mount has to be visible and
/// writable in the daemon's own mount namespace.
func checkIsReached(_ mountPoint: ByteString, isReadOnly: Bool) throws(Failure) {
    let mount: Mount?
    do throws(Errno) { mount = try MountTable().mount(at: mountPoint.bytes) } catch {
        throw Failure("the mounts cannot be read: \(error)")
    }
    guard mount?.type != Mount.workspaceType || mount?.isReadOnly == true && !isReadOnly else {
        return
    }
    let problem: Message =
        mount?.isReadOnly == true
        ? "\(mountPoint.shown) cannot be written to in the sandbox of the unit"
        : "\(mountPoint.shown) cannot be seen in the sandbox of the unit"
    throw Failure(
        "\(problem): add ReadWritePaths= or BindPaths= with the directory above it"
            + " to a drop-in; see mamd(8), SANDBOX"
    )
}

/// The root of a dead mount, if there is one.
func deadMount(at mountPoint: ByteString) throws(Failure) -> Descriptor? {
    let root = try openMountPoint(mountPoint)
    do throws(Errno) { return try isDeadMount(root) ? root : nil } catch {
        throw Failure("\(mountPoint.shown): the mounts cannot be read: \(error)")
    }
}

/// The directory that the mount will cover, opened with `O_PATH`, after removing dead mounts from
/// it.
///
/// Called as late as possible: a dead mount refuses programs; without it they would write plain
/// files into this directory, where the mount will hide them.
func uncoveredDirectory(at mountPoint: ByteString) throws(Failure) -> Descriptor {
    while let dead = try deadMount(at: mountPoint) {
        do throws(Errno) { try unmount(rootedAt: dead, mountPoint) } catch {
            throw Failure(
                "\(mountPoint.shown) has the mount of a daemon that died, and it cannot be"
                    + " unmounted: \(error)"
            )
        }
    }
    return try openMountPoint(mountPoint)
}

/// Another user may have redirected root's daemon to a foreign directory. Not needed when replacing
/// a dead mount.
func checkIsEmpty(_ directory: Descriptor, at mountPoint: ByteString) throws(Failure) {
    let names: [ByteString]
    do throws(Errno) { names = try entries(of: directory) } catch {
        throw notUsable(mountPoint, error)
    }
    guard names.isEmpty else {
        throw Failure(
            "\(mountPoint.shown) is not empty: a mount would hide \(listed(names)); move them"
                + " elsewhere first"
        )
    }
}

private func entries(of directory: Descriptor) throws(Errno) -> [ByteString] {
    let readable = try withExtendedLifetime(directory) { () throws(Errno) in
        try reopen(directory.raw, O_RDONLY | O_DIRECTORY)
    }
    return try withExtendedLifetime(readable) { () throws(Errno) in try entries(of: readable.raw) }
}

private func listed(_ names: [ByteString]) -> String {
    names[0].shown + (names.count > 1 ? " and \(names.count - 1) more" : "")
}

/// A warning about the contents of the covered directory; nil if it is empty.
func hiddenFiles(in directory: Descriptor, at mountPoint: ByteString) -> String? {
    guard let names = try? entries(of: directory), !names.isEmpty else { return nil }
    return
        "\(mountPoint.shown) was not empty: the mount hides \(listed(names)). They are not"
        + " protected; unmount and move them in"
}
