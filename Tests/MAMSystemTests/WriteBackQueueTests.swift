import Glibc
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

/// Keeps which write-backs have begun.
private final class Begun: Sendable {
    struct One: Equatable {
        let file: Int32
        let offset: Int64
    }

    private let all = Mutex<[One]>([])

    var list: [One] { all.withLock { $0 } }

    func add(_ file: Int32, _ offset: Int64) {
        all.withLock { $0.append(One(file: file, offset: offset)) }
    }
}

@Suite struct WriteBackQueueTests {
    /// Longer than a test.
    private static let hour: UInt32 = 3_600_000_000

    private let begun = Begun()
    private let files: [Descriptor]

    init() throws { files = try (0...WriteBackQueue.capacity).map { _ in try anyFile() } }

    private func queue(microseconds: UInt32 = hour) -> WriteBackQueue {
        WriteBackQueue(microseconds: microseconds) { [begun] in begun.add($0, $1) }
    }

    @Test func `what is added begins by itself, time and again`() {
        let queue = queue(microseconds: 1)
        for (count, file) in files[..<3].enumerated() {
            queue.add(file, from: 4096)
            #expect(eventually { begun.list.count == count + 1 })
        }
        #expect(begun.list == files[..<3].map { .init(file: $0.raw, offset: 4096) })
    }

    @Test func `what waits begins before a sync, but for the file that is synced`() {
        let queue = queue()
        for file in files[..<3] { queue.add(file, from: 0) }
        #expect(begun.list.isEmpty)
        queue.beginAll(except: files[1].raw)
        #expect(begun.list == [files[0], files[2]].map { .init(file: $0.raw, offset: 0) })
        queue.beginAll()
        #expect(begun.list.count == 2)
    }

    @Test func `a sync waits for what the thread is beginning`() throws {
        let (isBeginning, release, ended) = (Semaphore(), Semaphore(), Semaphore())
        let queue = WriteBackQueue(microseconds: 1) { [begun] in
            isBeginning.signal()
            release.wait()
            begun.add($0, $1)
        }
        queue.add(files[0], from: 0)
        #expect(isBeginning.wait(until: .patient))
        try startThread(named: "sync") {
            queue.beginAll()
            ended.signal()
        }
        #expect(!ended.wait(until: Deadline(milliseconds: 50)))
        release.signal()
        #expect(ended.wait(until: .patient))
        #expect(begun.list.count == 1)
    }

    @Test func `one more than the queue holds begins at once`() {
        let queue = queue()
        for file in files { queue.add(file, from: 8192) }
        #expect(begun.list == [.init(file: files[WriteBackQueue.capacity].raw, offset: 8192)])
        queue.beginAll()
        #expect(begun.list.count == files.count)
    }
}

private func anyFile() throws(Errno) -> Descriptor { try openFile("/dev/null", O_RDONLY) }
