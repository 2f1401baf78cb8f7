// Finds mapped files. Reading `maps` takes the lock of the process's memory map, which the process
// can hold for any time with a page fault that its own file system does not answer.

internal import MAMModel
internal import Synchronization

/// Reads memory maps on threads that callers wait for only until a deadline. A blocked thread stays
/// with its process, which is skipped until that read returns.
final class MappedFiles: Sendable {
    static let shared = MappedFiles()

    /// The limit on threads, however many are blocked.
    private static let maximumThreadCount = 2

    private struct State {
        var threadCount = 0
        /// The processes whose maps are being read now.
        var busy: Set<Int32> = []
    }

    private let state = Mutex(State())

    /// One query: the processes left to read, and the results.
    private final class Search: Sendable {
        struct State {
            var waiting: [Int32]
            var found: [Int32: Set<ByteString>] = [:]
        }
        let state: Mutex<State>
        let ended = Semaphore()

        init(_ processes: [Int32]) { state = Mutex(State(waiting: processes.reversed())) }
    }

    /// The files that each of these processes has mapped, as far as known at the deadline.
    func of(_ processes: [Int32], until deadline: Deadline) -> [Int32: Set<ByteString>] {
        let search = Search(processes)
        guard start(search) else { return [:] }
        _ = search.ended.wait(until: deadline)
        // Later results are dropped.
        return search.state.withLock { state in
            state.waiting = []
            return state.found
        }
    }

    private func start(_ search: Search) -> Bool {
        let mayStart = state.withLock { state in
            guard state.threadCount < Self.maximumThreadCount else { return false }
            state.threadCount += 1
            return true
        }
        guard mayStart else { return false }
        do throws(Errno) {
            try startThread(named: "maps") {
                self.look(search)
                self.state.withLock { $0.threadCount -= 1 }
                search.ended.signal()
            }
            return true
        } catch {
            state.withLock { $0.threadCount -= 1 }
            return false
        }
    }

    private func look(_ search: Search) {
        while let process = search.state.withLock({ $0.waiting.popLast() }) {
            guard state.withLock({ $0.busy.insert(process).inserted }) else { continue }
            let mapped = Set(maps(of: process).map(\.withoutDeletionMark))
            state.withLock { _ = $0.busy.remove(process) }
            search.state.withLock { $0.found[process] = mapped }
        }
    }
}

/// /proc/PID/maps, each line from its first slash on.
private func maps(of process: Int32) -> [ByteString] {
    let text = (try? readSmallFile("/proc/\(process)/maps", maximumByteCount: 1 << 20)) ?? []
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
        line.firstIndex(of: UInt8(ascii: "/")).map { ByteString(Array(line[$0...])) }
    }
}
