import MAMFormat
import MAMStore
import MAMSystem
import Testing

/// Every system call of every operation fails in turn: the file is old or new, and goes on working.
@Suite("Failing system calls", .serialized)
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

    @Test("Old or new after any one failure", arguments: Operation.allCases)
    func oldOrNew(operation: Operation) throws {
        try failEachCall(of: operation, times: 1) { found, old, new in
            found == old || found == new
        }
    }

    /// When nothing can be undone either, the rest is what a crash would leave.
    @Test("Each byte old or new when every later call fails too", arguments: Operation.allCases)
    func crashLike(operation: Operation) throws {
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

    /// The kernel has to hear of a new size that the file has: the call succeeds, and the next sync tells.
    @Test("What a cut could not complete, the next sync completes or reports", arguments: 2...6)
    func finishing(nth: Int) throws {
        let file = try TestFile()
        try file.write(pattern(10_000), at: 0)
        Faults.arm(.any, nth: nth, times: 1, error: .ioError)
        try file.truncate(to: 3500)
        let failed = Faults.disarm()
        let new = Array(pattern(10_000).prefix(3500))
        #expect(try file.reopen(rule: .accept).contents() == new)
        let isSync = nth == 2
        if isSync { #expect(throws: StoreError.system(.ioError)) { try file.stored.finish() } }
        try file.stored.finish()
        #expect(failed == (nth < 6))
        #expect(try file.reopen(rule: .refuse).contents() == new)
    }
}
