// After an unclean end the tree is gone through once; only then a clean end counts as one.

import Glibc
import MAMFuse
import MAMSystem
import MAMVault
import Synchronization

/// The end is marked neither in the state directory nor in the lock file until what a crash may
/// have left unfinished is mended in every file.
final class Recovery: Sendable {
    private let backing: Backing
    private let log: Log
    private let isNeeded: Atomic<Bool>
    /// Nil before the state directory was asked, and where nothing is written.
    private let end = Guarded<CleanEnd?>(nil)

    init(of backing: Backing, _ log: Log) {
        self.backing = backing
        self.log = log
        isNeeded = Atomic(backing.wasLeftLocked)
    }

    /// Takes the mark of a clean end away, if there is one; true if there was. Before anything is
    /// written.
    func begin(inState path: String, isReadOnly: Bool) throws(StartError) -> Bool {
        do throws(Errno) {
            let state = try openFile(path, O_RDONLY | O_DIRECTORY)
            let end = CleanEnd(of: backing.id, in: state)
            let endedCleanly = end.isMarked
            isNeeded.store(!endedCleanly, ordering: .relaxed)
            guard !isReadOnly else { return endedCleanly }
            try end.unmark()
            self.end.withLock { $0 = end }
            return endedCleanly
        } catch { throw StartError("\(path)/clean-end cannot be removed: \(error)") }
    }

    /// Beside the mount, which mends what is looked up meanwhile.
    func start(_ files: FileSystem) throws(Errno) {
        guard isNeeded.load(ordering: .relaxed), !files.isReadOnly else { return }
        if backing.wasLeftLocked {
            log.warning("the last daemon did not end cleanly: all files are looked at")
        } else {
            log.info("no clean end of this workspace is known: all files are looked at")
        }
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

    /// The mount is gone. What is cut off in the middle of a change of keys, or could not be
    /// stored, is found as after a crash.
    func stop(_ files: FileSystem, _ vault: Vault, isQuiet: Bool) {
        if !isQuiet || files.isChangingKeys || vault.mayHaveUnfinishedFiles {
            isNeeded.store(true, ordering: .relaxed)
        }
    }

    /// Once all is written and nothing more can be.
    func finish() {
        guard !isNeeded.load(ordering: .relaxed) else { return }
        do throws(Errno) {
            try backing.markCleanEnd()
            try end.withLock { $0 }?.mark()
        } catch {
            log.warning(
                "the next start looks at all files, for the end could not be marked: \(error)")
        }
    }
}
