// Files of class B that were closed under a lock, to be dropped from the kernel's cache.

internal import MAMModel
internal import Synchronization

/// Gathers ids for one thread at a time.
final class ClosedFiles: Sendable {
    private struct State {
        var waiting: Set<FileID> = []
        var isDraining = false
    }

    private let state = Mutex(State())

    func add(_ id: FileID) { state.withLock { _ = $0.waiting.insert(id) } }

    /// True if no thread drains yet; the caller starts one then.
    func beginDraining() -> Bool {
        state.withLock { state in
            defer { state.isDraining = true }
            return !state.isDraining
        }
    }

    /// What waits; nil, and the draining has ended, if nothing does.
    func take() -> Set<FileID>? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            defer { state.waiting = [] }
            return state.waiting
        }
    }
}
