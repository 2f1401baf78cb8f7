// After an unclean end, walks the tree once; only then can an end count as clean again.

import Glibc
internal import MAMCommandLine
import MAMLocks
internal import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import Synchronization

/// Neither the state directory nor the lock file records a clean end until every file that the
/// crash may have left unfinished is repaired.
final class Recovery: Sendable {
    private let backing: Backing
    private let log: Log
    private let isNeeded: Atomic<Bool>
    /// Nil until the state directory was read, and on a read-only workspace.
    private let end = Guarded<(mark: CleanEnd, ends: UncertainEnds)?>(nil)

    init(of backing: Backing, _ log: Log) {
        self.backing = backing
        self.log = log
        isNeeded = Atomic(backing.wasLeftLocked)
    }

    /// Removes the mark of a clean end, and determines which files' ends are uncertain. Before
    /// anything is written.
    func begin(
        _ ends: UncertainEnds, inState path: String, isReadOnly: Bool
    ) throws(Failure) {
        do throws(Errno) {
            let state = try openFile(path, O_RDONLY | O_DIRECTORY)
            let mark = CleanEnd(of: backing.id, in: state)
            let awaited = mark.readAwaitedKeys()
            if let awaited { ends.narrow(to: awaited) } else { ends.beginWithAll() }
            isNeeded.store(awaited == nil, ordering: .relaxed)
            guard !isReadOnly else { return }
            try mark.unmark()
            end.withLock { $0 = (mark, ends) }
        } catch { throw Failure("\(path)/clean-end cannot be removed: \(error)") }
    }

    /// Runs while the mount, which repairs files at look-up, is serving.
    func start(_ tree: Tree) throws(Errno) {
        guard !tree.isReadOnly else { return }
        let isNeeded = isNeeded.load(ordering: .relaxed)
        if !isNeeded, backing.wasLeftLocked {
            log.warning(
                "the files' last daemon did not exit cleanly, but the last one here did: files that"
                    + " are "
                    + "refused for their end can be repaired with mamctl verify --repair")
        }
        let awaitsKeys = end.withLock { $0?.ends.awaitedKeys.isEmpty == false }
        guard isNeeded || awaitsKeys else { return }
        announce(isNeeded: isNeeded)
        try startThread(named: "recovery") { self.run(tree) }
    }

    private func announce(isNeeded: Bool) {
        if !isNeeded {
            log.info("searching for files that an earlier crash left unfinished")
        } else if backing.wasLeftLocked {
            log.warning("the last daemon did not exit cleanly: checking all files")
        } else {
            log.info("no clean exit of this workspace is recorded: checking all files")
        }
    }

    private func run(_ tree: Tree) {
        Recover(tree).removeLeftovers()
        guard let waiting = Recover(tree).recoverAll() else {
            return log.warning("not all files could be checked: retrying at the next start")
        }
        isNeeded.store(false, ordering: .relaxed)
        if !waiting.isEmpty {
            log.info("some files will be repaired once their keys are available")
        }
        guard Recover(tree).recover(waiting: waiting) else {
            return log.info("some files still need repair: retrying at the next start")
        }
        log.info("all files checked")
    }

    /// The mount is gone. A change of keys interrupted now, and data that could not be stored, are
    /// handled at the next start as after a crash.
    func stop(_ tree: Tree, isQuiet: Bool) {
        if !isQuiet || KeyRenewal(tree).isChangingKeys
            || FileAudit(tree.vault).mayHaveUnfinishedFiles
        {
            isNeeded.store(true, ordering: .relaxed)
        }
    }

    /// Call once everything is written and nothing more can be.
    func finish() {
        guard !isNeeded.load(ordering: .relaxed) else { return }
        do throws(Errno) {
            try backing.markCleanEnd()
            guard let end = end.withLock({ $0 }) else { return }
            try end.mark.mark(awaiting: end.ends.awaitedKeys)
        } catch {
            log.warning(
                "the next start will check all files: cannot record the clean exit: \(error)")
        }
    }
}
