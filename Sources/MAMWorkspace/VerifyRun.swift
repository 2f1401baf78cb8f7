// One check: several threads check files in parallel, while the caller's thread walks and reports.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import Synchronization

final class VerifyRun: Sendable {
    private let tree: Tree
    private let repair: Repair?
    private let hasWork = Semaphore()
    private let hasNews = Semaphore()
    private let state = Mutex(State())

    private struct State {
        var waiting: [VerifyItem] = []
        var atWorkCount = 0
        var isClosed = false
        var isCancelled = false
        /// The caller's thread is waiting for news.
        var isWaiting = false
        var findings: [Finding] = []
        var counts = VerifyCounts()
    }

    /// Each queued item holds a descriptor.
    private static let limit = 64

    /// Starts the threads; throws unless at least one could be started.
    init(_ tree: Tree, _ repair: Repair?) throws(Errno) {
        self.tree = tree
        self.repair = repair
        let count = max(1, min(16, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        for number in 0..<count {
            do throws(Errno) { try startThread(named: "verify") { self.work() } } catch {
                if number == 0 { throw error }
            }
        }
    }

    var shallGoOn: Bool { !tree.isStopping && state.withLock { !$0.isCancelled } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func add(_ finding: Finding) {
        state.withLock { state in
            state.findings.append(finding)
            state.counts.count(finding.outcome)
        }
    }

    /// False if the queue is full: then wait for news and try again.
    func add(_ item: VerifyItem) -> Bool {
        let isTaken = state.withLock { state in
            guard state.waiting.count < Self.limit else { return false }
            state.waiting.append(item)
            state.counts.totalBytes.add(saturating: item.byteCount)
            return true
        }
        if isTaken { hasWork.signal() }
        return isTaken
    }

    /// Ends the queue: the threads end when everything is done.
    func close() {
        state.withLock { $0.isClosed = true }
        hasWork.signal()
    }

    var isDone: Bool {
        state.withLock { $0.isClosed && $0.waiting.isEmpty && $0.atWorkCount == 0 }
    }

    /// The findings since the last call, and the progress.
    func takeNews() -> ([Finding], VerifyCounts) {
        state.withLock { state in
            defer { state.findings = [] }
            return (state.findings, state.counts)
        }
    }

    /// Waits until a file is done, or a report is due.
    func waitForNews(until deadline: Deadline) {
        state.withLock { $0.isWaiting = true }
        if !isDone { _ = hasNews.wait(until: deadline) }
    }

    private func work() {
        while let item = next() {
            let result = FileCheck(tree).check(item, repair) {
                shallGoOn
            } progressed: { count in
                state.withLock { $0.counts.bytes.add(saturating: count) }
            }
            // They may contain decrypted data.
            mam_clear_registers()
            FileCheck(tree).letGo(item)
            finish(result)
        }
        // Wakes the next thread, so that it ends too.
        hasWork.signal()
    }

    /// Nil when there is nothing left to do.
    private func next() -> VerifyItem? {
        while true {
            hasWork.wait()
            let (item, isOver) = state.withLock { state -> (VerifyItem?, Bool) in
                guard let item = state.waiting.popLast() else { return (nil, state.isClosed) }
                state.atWorkCount += 1
                return (item, false)
            }
            if item != nil || isOver { return item }
        }
    }

    func finish(_ result: CheckedFile) {
        let wakes = state.withLock { state in
            state.atWorkCount -= 1
            state.counts.files += 1
            if result.lackedKey { state.counts.uncheckedFiles += 1 }
            for finding in result.findings { state.counts.count(finding.outcome) }
            state.findings += result.findings
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wakes { hasNews.signal() }
    }
}
