// A daemon that was killed while it waited for its own mount.

internal import Glibc
package import MAMSystem

// A lock, say, has the kernel write pages back, and waits until the daemon has taken them: a wait
// that no signal ends. If the daemon is killed then, that one thread stays, and with it /dev/fuse
// is open. So the kernel does not find out that nobody answers any more, and every program on the
// mount waits as well, for good.

/// Waits for a daemon that was killed, or that `isLeaving`, to have ended: ten seconds at most. One
/// that cannot end by itself is helped. True if it is stuck all the same.
///
/// `mount`: where it serves, by the table as it is now.
@discardableResult
package func awaitEnd(
    ofDaemon process: Int32, at mount: () -> Mount?, orWhile isLeaving: () -> Bool = { false }
) -> Bool {
    let deadline = Deadline(seconds: 10)
    // It has many files to close.
    let isStuck = Deadline(seconds: 1)
    while let status = ProcessStatus(of: process), !status.hasEnded,
        status.isEnding || isLeaving(), !deadline.hasPassed
    {
        if isStuck.hasPassed, status.isEnding, let mount = mount() { abortConnection(of: mount) }
        usleep(5000)
    }
    return ProcessStatus(of: process).map { $0.isEnding && !$0.hasEnded } ?? false
}

/// Has the kernel refuse what waits for an answer of this mount's, and all that comes: the last of
/// its daemon ends then. The mount stays, as a dead one. Nothing is lost by it that was not when
/// the daemon was killed. Without effect where the kernel does not let us, as without fusectl for
/// anyone but root.
private func abortConnection(of mount: Mount) {
    guard let minor = mount.device.split(separator: ":").last else { return }
    let control = ByteString("/sys/fs/fuse/connections/\(minor)/abort")
    if let file = try? openFile(control.cString, O_WRONLY), write(file.raw, "1", 1) == 1 { return }
    // A forced unmount begins with the same, and ends there: the root is held here.
    guard let root = try? openFile(ByteString(mount.mountPoint).cString, openPathOnly) else {
        return
    }
    withExtendedLifetime(root) {
        _ = try? withProcPath(of: root.raw) { path throws(Errno) in
            umount2(path, Int32(MNT_FORCE))
        }
    }
}
