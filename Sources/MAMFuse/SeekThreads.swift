// A few threads that look for holes in files that are being written.

internal import CTransport
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Programs may ask as often as they like, so threads and queue are bounded.
final class SeekThreads: Sendable {
    typealias Search = @Sendable () -> Void

    private struct State {
        var waiting: [Search] = []
        var threadCount = 0
    }

    private static let maximumThreadCount = 4
    private static let maximumWaitingCount = 64

    private let state = Mutex(State())
    private let transport: RequestTransport

    init(_ transport: RequestTransport) { self.transport = transport }

    /// Never blocks. `EINVAL` if too many wait, as of a file system without holes: the program then
    /// reads all.
    func add(_ search: @escaping Search) throws(Errno) {
        try state.withLock { state throws(Errno) in
            guard state.waiting.count < Self.maximumWaitingCount else { throw .invalid }
            if state.threadCount < Self.maximumThreadCount {
                do throws(Errno) {
                    try startThread(named: "seek") { self.work() }
                    state.threadCount += 1
                } catch {
                    // The running threads serve it too.
                    guard state.threadCount > 0 else { throw .invalid }
                }
            }
            // The searches' own requests arrive in the same queues.
            guard mam_transport_may_wait(transport.context) else { throw .invalid }
            state.waiting.append(search)
        }
    }

    private func work() {
        while let search = next() { search() }
    }

    private func next() -> Search? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.threadCount -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}
