// Notices when the backing directory is deleted under the mount.

import Glibc
internal import MAMModel
import MAMSystem
import MAMTree
import MAMVault

/// Watches the workspace's own directory, which goes before the backing directory does. Where there
/// is no inotify, and for what another machine deletes, `status` and `verify` ask.
func startBackingWatch(_ backing: Backing, _ tree: Tree) throws(Errno) {
    let raw = try retrying { inotify_init1(Int32(IN_CLOEXEC)) }
    let notifier = Descriptor(owning: raw)
    let events = UInt32(IN_DELETE | IN_DELETE_SELF)
    let watch = withExtendedLifetime(backing.own) {
        try? withProcPath(of: backing.own.raw) { path throws(Errno) in
            try retrying { inotify_add_watch(raw, path, events) }
        }
    }
    guard watch != nil else { return }
    try startThread(named: "backing") {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !tree.isOwnDirectoryGone, !tree.isBackingGone {
            let count = try? retrying { Glibc.read(notifier.raw, &buffer, buffer.count) }
            guard count != nil else { return }
        }
        tellWhatIsGone(backing, tree)
    }
}

/// A program that deletes both reaches the backing directory a moment later, and no event tells of
/// that while the directory is open.
private func tellWhatIsGone(_ backing: Backing, _ tree: Tree) {
    let (moment, soon): (UInt32, UInt32) = (1, 3)
    var seconds: UInt32 = 0
    while !tree.isBackingGone {
        if seconds == soon {
            tree.vault.log.warning(
                "\(backing.path.shown)/.mamd was deleted while it is mounted: files are as they"
                    + " were; to have it made anew, unmount, and:"
                    + " mamctl mount --name NAME \(backing.path.shown) MOUNTPOINT")
        }
        sleep(moment)
        seconds += 1
    }
    tree.vault.log.warning(
        "\(backing.path.shown) was deleted while it is mounted: what is written now is lost")
    tree.vault.announce(.backingGone)
}
