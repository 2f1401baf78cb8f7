// After an unclean end the tree is gone through once; only then a clean end counts as one.

import MAMFuse
import MAMSystem
import Synchronization

/// The lock file is left full, as a crash leaves it, until what a crash may have left unfinished is mended in every file.
final class Recovery: Sendable {
    private let backing: Backing
    private let log: Log
    private let isNeeded: Atomic<Bool>

    init(of backing: Backing, _ log: Log) {
        self.backing = backing
        self.log = log
        isNeeded = Atomic(backing.endedUncleanly)
    }

    /// Beside the mount, which mends what is looked up meanwhile.
    func start(_ files: FileSystem) throws(Errno) {
        guard isNeeded.load(ordering: .relaxed), !files.isReadOnly else { return }
        log.warning("the last daemon did not end cleanly: all files are looked at")
        try startThread(named: "recovery") { self.run(files) }
    }

    private func run(_ files: FileSystem) {
        files.removeLeftovers()
        guard files.recoverAll() else {
            return log.warning("not all files could be looked at: the next start tries again")
        }
        isNeeded.store(false, ordering: .relaxed)
        log.info("all files were looked at")
    }

    /// The mount is gone. What is cut off in the middle of a change of keys is found as after a
    /// crash.
    func stop(_ files: FileSystem) {
        if files.isChangingKeys { isNeeded.store(true, ordering: .relaxed) }
    }

    /// Once all is written and nothing more can be.
    func finish() {
        guard !isNeeded.load(ordering: .relaxed) else { return }
        do throws(Errno) { try backing.markCleanEnd() } catch {
            log.warning(
                "the next start looks at all files, for the end could not be marked: \(error)")
        }
    }
}
