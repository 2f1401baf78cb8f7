// Dropping cached pages soon, on a thread that serves no request.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// While a window is closed: the last handle of a class B file closes, or a refused read leaves
/// empty pages. Also after the daemon changed a mode itself: attributes are dropped with the pages.
final class PurgeQueue: Sendable {
    private struct State {
        var waiting: Set<UInt64> = []
        var hasThread = false
    }

    private let notifier: Notifier
    private let state = Mutex(State())

    init(_ notifier: Notifier) { self.notifier = notifier }

    /// Never blocks.
    func add(_ inode: Inode) {
        let needsThread = state.withLock { state in
            state.waiting.insert(inode.node)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        do throws(Errno) { try startThread(named: "purge-queue") { self.work() } } catch {
            // The next call tries again.
            state.withLock { $0.hasThread = false }
        }
    }

    private func work() {
        while let nodes = take() {
            for node in nodes { notifier.invalidate(node) }
            // A program that keeps reading a locked file must not keep this thread busy.
            usleep(1000)
        }
    }

    private func take() -> Set<UInt64>? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.hasThread = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
