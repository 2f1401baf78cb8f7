// Making the kernel ask before writes to a file, and take the size at which its data ends.

internal import CFuse3
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import Synchronization

/// Many threads, since each may wait for a write(2) in progress, which itself waits until the
/// daemon has stored what was written before.
final class AttentionQueue: Sendable {
    private struct State {
        var waiting: [UInt64: Inode] = [:]
        var threadCount = 0
    }

    private static let maximumThreadCount = 64

    private let state = Mutex(State())
    private let turn = Mutex(())

    /// Never blocks.
    func add(_ inode: Inode, of mount: Mount) {
        // Where its data ends must be known although it is closed meanwhile.
        inode.keepFile()
        let (isKnown, needsThread) = state.withLock { state in
            let isKnown = state.waiting.updateValue(inode, forKey: inode.node) != nil
            guard state.threadCount < Self.maximumThreadCount else { return (isKnown, false) }
            state.threadCount += 1
            return (isKnown, true)
        }
        if isKnown { inode.letFileGo() }
        guard needsThread else { return }
        do throws(Errno) {
            try startThread(named: "attention") {
                mount.notifier.whileAttached { self.work(mount) }
            }
        } catch {
            // The next call tries again.
            state.withLock { $0.threadCount -= 1 }
        }
    }

    /// Not until it ends: that may wait for the caller. Callers wait one after the other, so that
    /// little is stored meanwhile, however many threads store it.
    func waitBriefly() {
        guard isBusy else { return }
        turn.withLock { _ in
            var waits = 0
            while waits < Self.maximumWaits, isBusy {
                usleep(Self.microseconds)
                waits += 1
            }
        }
    }

    private var isBusy: Bool { state.withLock { $0.threadCount > 0 } }

    private static let microseconds: UInt32 = 5000
    private static let maximumWaits = 10

    private func work(_ mount: Mount) {
        let root = try? CacheProbe.openRootToWait(of: mount.tree)
        while let inode = next() {
            defer { inode.letFileGo() }
            if let root, let probe = try? CacheProbe(writersOf: inode, in: mount, below: root) {
                attend(to: inode, probe, mount)
            } else if let probe = try? CacheProbe(inode, in: mount, for: .size) {
                attend(to: inode, probe, mount)
            } else {
                // Its size stays the kernel's.
                mount.waitForWriters(of: [inode])
            }
        }
    }

    private func attend(to inode: Inode, _ probe: borrowing CacheProbe, _ mount: Mount) {
        mount.ownAccesses.waitForWriters(probe)
        if let end = inode.withState({ $0.file?.lostEnd }) {
            mount.ownAccesses.cut(probe, to: end)
        }
    }

    private func next() -> Inode? {
        state.withLock { state in
            guard let inode = state.waiting.popFirst()?.value else {
                state.threadCount -= 1
                return nil
            }
            return inode
        }
    }
}
