// A daemon that was killed while it waited for its own mount.

internal import Glibc
internal import MAMModel
package import MAMSystem

// A lock, for example, makes the kernel write pages back and waits until the daemon has taken them;
// no signal interrupts that wait. If the daemon is killed then, this one thread remains and keeps
// /dev/fuse open. So the kernel does not notice that nobody answers, and every program on the mount
// waits forever.

/// Waits up to ten seconds for a daemon to end that was killed or `isLeaving`, and aborts its
/// connection if it cannot end by itself. True if it is still stuck.
///
/// `mount`: its current entry in the mount table.
@discardableResult
package func awaitEnd(
    ofDaemon process: Int32, at mount: () -> Mount?, orWhile isLeaving: () -> Bool = { false }
) -> Bool {
    let deadline = Deadline(seconds: 10)
    // It may have many files to close.
    let isStuck = Deadline(seconds: 1)
    while let status = ProcessStatus(of: process), !status.hasEnded,
        status.isEnding || isLeaving(), !deadline.hasPassed
    {
        if isStuck.hasPassed, status.isEnding, let mount = mount() { abortConnection(of: mount) }
        usleep(5000)
    }
    return ProcessStatus(of: process).map { $0.isEnding && !$0.hasEnded } ?? false
}

/// Makes the kernel fail all pending and future requests of this mount; the last thread of its
/// daemon then ends. The mount stays, as a dead one. Loses nothing that was not lost when the
/// daemon was killed. No effect where the kernel does not permit it: without fusectl, for all but
/// root.
private func abortConnection(of mount: Mount) {
    guard let minor = mount.device.split(separator: ":").last else { return }
    let control = ByteString("/sys/fs/fuse/connections/\(minor)/abort")
    if let file = try? openFile(control.cString, O_WRONLY), write(file.raw, "1", 1) == 1 { return }
    // A forced unmount starts by aborting the connection, and then fails: the root is held open
    // here.
    guard let root = try? openFile(ByteString(mount.mountPoint).cString, openPathOnly) else {
        return
    }
    withExtendedLifetime(root) {
        _ = try? withProcPath(of: root.raw) { path throws(Errno) in
            umount2(path, Int32(MNT_FORCE))
        }
    }
}
