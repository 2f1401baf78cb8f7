import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Synchronization
import Testing

/// Every system call of every operation fails in turn: the file is old or new, and goes on working.
@Suite(.serialized)
struct FaultTests {
    enum Operation: CaseIterable, Sendable {
        case overwrite, append, growFar, truncateDown, truncateUp
    }

    func run(_ operation: Operation, on file: TestFile) throws(StoreError) {
        switch operation {
        case .overwrite: try file.write(pattern(4000, seed: 2), at: 2000)
        case .append: try file.write(pattern(9000, seed: 2), at: 10_000)
        case .growFar: try file.write(pattern(100, seed: 2), at: 9_000_000)
        case .truncateDown: try file.truncate(to: 3500)
        case .truncateUp: try file.truncate(to: 60_000)
        }
    }

    @Test(arguments: [0, 9000])
    func `what is written at the end without the key leaves the disk alone`(gap: Int64) throws {
        let file = try TestFile()
        try file.write([UInt8](repeating: 1, count: 10_000), at: 0)
        file.stored.revokeKey()
        Faults.arm(.any, nth: 1, error: .ioError)
        defer { Faults.disarm() }
        #expect(throws: StoreError.keyUnavailable) { try file.write([2], at: 10_000 + gap) }
        #expect(throws: StoreError.keyUnavailable) { try file.truncate(to: 20_000) }
        #expect(!Faults.disarm())
        #expect(file.stored.size == 10_000)
    }

    @Test(arguments: Operation.allCases)
    func `old or new after any one failure`(operation: Operation) throws {
        try failEachCall(of: operation, times: 1) { found, old, new in
            found == old || found == new
        }
    }

    /// When nothing can be undone either, the rest is what a crash would leave.
    @Test(arguments: Operation.allCases)
    func `each byte old or new when every later call fails too`(operation: Operation) throws {
        try failEachCall(of: operation, times: .max) { found, old, new in
            found.count >= min(old.count, new.count) && found.count <= max(old.count, new.count)
                && found.indices.allSatisfy { index in
                    (index < old.count && found[index] == old[index])
                        || (index < new.count && found[index] == new[index])
                }
        }
    }

    private func failEachCall(
        of operation: Operation, times: Int, isRight: ([UInt8], [UInt8], [UInt8]) -> Bool
    ) throws {
        let reference = try TestFile()
        try reference.write(pattern(10_000), at: 0)
        let old = try reference.stored.contents()
        try run(operation, on: reference)
        let new = try reference.stored.contents()
        var nth = 1
        while true {
            let file = try TestFile()
            try file.write(pattern(10_000), at: 0)
            Faults.arm(.any, nth: nth, times: times, error: .noSpace)
            do throws(StoreError) { try run(operation, on: file) } catch {
                #expect(error == .system(.noSpace))
            }
            let failed = Faults.disarm()
            let found = try file.reopen(rule: .accept).contents()
            #expect(isRight(found, old, new), "\(operation), call \(nth)")
            #expect(
                try file.stored.contents() == found,
                "memory and disk agree: \(operation), call \(nth)")
            try file.write([1, 2, 3], at: 0)
            #expect(try file.reopen(rule: .accept).bytes(in: 0..<3) == [1, 2, 3])
            if !failed { break }
            nth += 1
        }
        #expect(nth > 1)
    }

    /// A write that is given up leaves a part of a block behind the end; what grows the file later
    /// must not take it for a hole.
    @Test(arguments: 1...3)
    func `what a failed append left is no part of a file that grows later`(way: Int) throws {
        let file = try TestFile()
        try file.write(pattern(10_000), at: 0)
        let size = try file.physicalBytes.count
        if way == 1 {
            // A crash, or a file system without holes.
            var bytes = try file.physicalBytes
            bytes.replaceSubrange((size & ~4095)..., with: pattern(size & 4095, seed: 3))
            try file.replacePhysical(bytes)
            file.stored = try file.reopen()
        } else {
            // The blocks are written, and the size is not set.
            Faults.arm(.truncate, nth: 1, times: 1, error: .noSpace)
            #expect(throws: StoreError.system(.noSpace)) {
                try file.write(pattern(9000, seed: 2), at: 10_000)
            }
            #expect(Faults.disarm())
            #expect(try file.physicalBytes.count == size)
            let leftover = try file.physicalBytes[(size & ~4095)...]
            #expect(leftover.allSatisfy { $0 == 0 })
        }
        if way == 3 { try file.write([7], at: 9_000_000) } else { try file.truncate(to: 300_000) }
        let found = try file.reopen().contents()
        #expect(found.prefix(10_000).elementsEqual(pattern(10_000)))
        #expect(found.dropFirst(10_000).dropLast().allSatisfy { $0 == 0 })
        #expect(found.count == (way == 3 ? 9_000_001 : 300_000))
    }

    /// Until a change of a file would get another time.
    private func awaitStampsLater(than time: timespec) {
        var now = timespec()
        repeat {
            sched_yield()
            clock_gettime(CLOCK_REALTIME_COARSE, &now)
        } while (now.tv_sec, now.tv_nsec) <= (time.tv_sec, time.tv_nsec)
    }

    /// Under a full quota btrfs lets a file grow by a hole, and then refuses to cut it.
    @Test(arguments: [Operation.append, .growFar, .truncateUp])
    func `growth of which nothing is stored leaves the file alone`(operation: Operation) throws {
        let file = try TestFile()
        try file.write(pattern(10_000), at: 0)
        let descriptor = try TestFile.makeDescriptor(file.path)
        let before = try status(of: descriptor.raw)
        awaitStampsLater(than: before.st_ctim)
        Faults.arm(.write, nth: 1, error: .noSpace)
        #expect(throws: StoreError.system(.noSpace)) { try run(operation, on: file) }
        #expect(Faults.disarm())
        let after = try status(of: descriptor.raw)
        #expect(after.st_ctim.tv_nsec == before.st_ctim.tv_nsec)
        #expect(after.st_size == before.st_size)
        let found = try file.reopen()
        try found.proveEnd()
        #expect(try found.contents() == pattern(10_000))
    }

    /// All handles of a file share the descriptor that the kernel tells once.
    @Test
    func `each handle is told once of each failed sync, and a new one of what nobody was told of`()
        throws
    {
        let file = try TestFile()
        let stored = file.stored
        let first = Atomic(stored.syncMark)
        let second = Atomic(stored.syncMark)
        #expect(stored.takeSyncFailure(since: first) == nil)
        Faults.arm(.sync, nth: 1, times: 1, error: .noSpace)
        #expect(throws: Errno.noSpace) { try file.stored.synchronize(dataOnly: true) }
        _ = Faults.disarm()
        let later = Atomic(stored.syncMark)
        #expect(stored.untoldSyncFailure == .noSpace)
        #expect(stored.takeSyncFailure(since: first) == .noSpace)
        #expect(stored.takeSyncFailure(since: first) == nil)
        #expect(stored.takeSyncFailure(since: second) == .noSpace)
        #expect(stored.takeSyncFailure(since: later) == .noSpace)
        #expect(stored.untoldSyncFailure == nil)
        #expect(stored.takeSyncFailure(since: Atomic(stored.syncMark)) == nil)
    }

    @Test func `no hole is made before it is durable that there may be some`() throws {
        let file = try TestFile()
        try file.write(pattern(100_000), at: 0)
        for _ in 0..<2 {
            Faults.arm(.sync, nth: 1, times: 1, error: .ioError)
            #expect(throws: StoreError.system(.ioError)) {
                try file.stored.zero(10_000..<90_000, sealer: file.sealer)
            }
            #expect(Faults.disarm())
        }
        #expect(file.stored.untoldSyncFailure == .ioError)
        try file.stored.zero(10_000..<90_000, sealer: file.sealer)
        #expect(try file.reopen().contents()[10_000..<90_000].allSatisfy { $0 == 0 })
    }

    /// The kernel has to hear of a new size that the file has: the call succeeds, and the next sync
    /// tells.
    @Test(arguments: 2...6)
    func `what a cut could not complete, the next sync completes or reports`(nth: Int) throws {
        let file = try TestFile()
        try file.write(pattern(10_000), at: 0)
        Faults.arm(.any, nth: nth, times: 1, error: .ioError)
        try file.truncate(to: 3500)
        let failed = Faults.disarm()
        let new = Array(pattern(10_000).prefix(3500))
        #expect(try file.reopen(rule: .accept).contents() == new)
        let isSync = nth == 2
        #expect(file.stored.untoldSyncFailure == (isSync ? .ioError : nil))
        try file.stored.finish()
        #expect(failed == (nth < 6))
        #expect(try file.reopen(rule: .refuse).contents() == new)
    }
}
