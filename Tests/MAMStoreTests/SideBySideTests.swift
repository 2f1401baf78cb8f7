import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Synchronization
import TestSupport
import Testing

/// Several threads at one managed file: each request is seen whole or not at all, and nothing is
/// lost.
@Suite(.serialized)
struct SideBySideTests {
    /// Runs `body` on threads of their own, each with its number, until all have ended.
    private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
        let ended = Semaphore()
        for number in 0..<count {
            try startThread(named: "beside-\(number)") {
                body(number)
                ended.signal()
            }
        }
        for _ in 0..<count { #expect(ended.wait(until: .patient)) }
    }

    private static func write(
        _ bytes: [UInt8], at offset: Int64, to stored: StoredFile, _ sealer: TestSealer
    ) -> StoreError? {
        do throws(StoreError) {
            try bytes.withUnsafeBytesTyped { buffer throws(StoreError) in
                try stored.write(buffer, at: offset, sealer: sealer)
            }
            return nil
        } catch { return error }
    }

    @Test func `who takes the key of a copy waits for the file that it has become`() throws {
        let (file, copy) = (try TestFile(), try TestFile())
        try file.write([1, 2, 3], at: 0)
        file.stored.copying.begin(copy.stored, sealer: copy.sealer)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 4096)
        defer { buffer.deallocate() }
        while try file.stored.copying.step(through: buffer) > 0 {}
        let directory = try openFile(temporaryParent, O_RDONLY | O_DIRECTORY)
        let isCopy = try file.stored.copying.finish(
            by: .patient, check: { _ throws(StoreError) in },
            { _ throws(StoreError) in directory })
        #expect(isCopy)
        var isTaken = true
        // It has the lock alone while it is asked.
        _ = try file.stored.copying.finish(
            by: .patient,
            check: { _ throws(StoreError) in
                isTaken = copy.stored.revokeKey(until: Deadline(milliseconds: 10))
            },
            { _ throws(StoreError) in directory })
        #expect(!isTaken)
        #expect(try file.stored.contents() == [1, 2, 3])
        copy.stored.revokeKey()
        #expect(file.stored.needsKey)
    }

    /// Cells share blocks with their neighbours; each is written whole, with one byte repeated.
    @Test(arguments: [1000, 4096, 9000, 100_000])
    func `readers see each write whole`(cell: Int) throws {
        let (writers, cellsEach) = (3, 4)
        let count = writers * cellsEach
        let file = try TestFile()
        try file.write([UInt8](repeating: 0, count: cell * count), at: 0)
        let (stored, sealer) = (file.stored, file.sealer)
        let torn = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let atWork = Atomic<Int>(writers)
        try onThreads(writers + 2) { number in
            guard number < writers else {
                var numbers = SeededNumbers(state: UInt64(number))
                while atWork.load(ordering: .relaxed) > 0 {
                    let first = Int.random(in: 0..<count, using: &numbers)
                    let start = Int64(first * cell)
                    let end = Int64(
                        (first + Int.random(in: 1...min(3, count - first), using: &numbers)) * cell)
                    guard let found = try? stored.bytes(in: start..<end) else {
                        failed.add(1, ordering: .relaxed)
                        continue
                    }
                    for at in stride(from: 0, to: found.count, by: cell)
                    where !found[at..<at + cell].allSatisfy({ $0 == found[at] }) {
                        torn.add(1, ordering: .relaxed)
                    }
                }
                return
            }
            for round in 1...60 {
                for index in 0..<cellsEach {
                    let bytes = [UInt8](repeating: UInt8(round), count: cell)
                    // Every other cell is its neighbour's.
                    let place = Int64((index * writers + number) * cell)
                    if Self.write(bytes, at: place, to: stored, sealer) != nil {
                        failed.add(1, ordering: .relaxed)
                    }
                }
            }
            atWork.subtract(1, ordering: .relaxed)
        }
        #expect(torn.load(ordering: .relaxed) == 0)
        #expect(failed.load(ordering: .relaxed) == 0)
        #expect(try file.reopen().contents() == [UInt8](repeating: 60, count: cell * count))
    }

    /// As the kernel sends what it has cached: in order, taken up by several threads at once.
    @Test(arguments: [3040, 4064, 5000, 131_072, 1 << 20])
    func `a file grows by many threads`(piece: Int) throws {
        let count = max(6, min(40, (4 << 20) / piece))
        let file = try TestFile()
        let (stored, sealer) = (file.stored, file.sealer)
        let next = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let content = pattern(piece * count + 77, seed: 5)
        try onThreads(4) { number in
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < count else { return }
                let end = index == count - 1 ? content.count : (index + 1) * piece
                let bytes = [UInt8](content[index * piece..<end])
                if Self.write(bytes, at: Int64(index * piece), to: stored, sealer) != nil {
                    wrong.add(1, ordering: .relaxed)
                }
                // What is there is right, or not written yet.
                let size = stored.size
                guard number == 0, let found = try? stored.bytes(in: max(0, size - 20_000)..<size)
                else { continue }
                for (at, byte) in found.enumerated()
                where byte != 0 && byte != content[max(0, Int(size) - 20_000) + at] {
                    wrong.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
        #expect(try file.reopen().contents() == content)
        #expect(stored.header?.sealing?.isSparse == false)
    }

    /// One thread's calls fail in turn, the other's do not: both in the same blocks, and at the
    /// end.
    @Test func `a failure of one leaves the other's work`() throws {
        for nth in 1...6 {
            let file = try TestFile()
            try file.write([UInt8](repeating: 1, count: 20_000), at: 0)
            let (stored, sealer) = (file.stored, file.sealer)
            let rounds = 30
            let lost = Atomic<Int>(0)
            try onThreads(2) { number in
                for round in 0..<rounds {
                    let start = Int64(20_000 + round * 2000)
                    guard number == 0 else {
                        Faults.arm(.any, nth: 1 + (round + nth) % 6, times: 1, error: .noSpace)
                        _ = Self.write(
                            [UInt8](repeating: 3, count: 3000), at: start, to: stored, sealer)
                        _ = Self.write(
                            [UInt8](repeating: 3, count: 500), at: 5000, to: stored, sealer)
                        Faults.disarm()
                        continue
                    }
                    let bytes = [UInt8](repeating: 2, count: 1000)
                    if Self.write(bytes, at: 4000, to: stored, sealer) != nil
                        || Self.write(bytes, at: start + 500, to: stored, sealer) != nil
                    {
                        lost.add(1, ordering: .relaxed)
                    }
                }
            }
            #expect(lost.load(ordering: .relaxed) == 0)
            let found = try file.reopen(rule: .refuse).contents()
            #expect(found[..<4000].allSatisfy { $0 == 1 })
            #expect(found[4000..<5000].allSatisfy { $0 == 2 })
            #expect(found[5000..<5500].allSatisfy { $0 == found[5000] })
            for round in 0..<rounds {
                let start = 20_000 + round * 2000
                #expect(found[start + 500..<start + 1500].allSatisfy { $0 == 2 || $0 == 3 })
                #expect(found[start..<start + 500].allSatisfy { [0, 3].contains($0) })
            }
        }
    }

    @Test func `once a key is revoked no write gets through that began later`() throws {
        for _ in 0..<10 {
            let file = try TestFile()
            try file.write(pattern(50_000), at: 0)
            let (stored, sealer) = (file.stored, file.sealer)
            let isRevoked = Atomic<Bool>(false)
            let late = Atomic<Int>(0)
            try onThreads(4) { number in
                guard number > 0 else {
                    usleep(2000)
                    #expect(stored.revokeKey(until: .patient))
                    isRevoked.store(true, ordering: .sequentiallyConsistent)
                    return
                }
                for round in 0..<1_000_000 {
                    let wasRevoked = isRevoked.load(ordering: .sequentiallyConsistent)
                    let place = Int64(number * 9000 + round % 7 * 20_000)
                    let error = Self.write(pattern(9000), at: place, to: stored, sealer)
                    if error == .keyUnavailable { return }
                    if wasRevoked || error != nil { late.add(1, ordering: .relaxed) }
                }
            }
            #expect(late.load(ordering: .relaxed) == 0)
            _ = try file.reopen().contents()
        }
    }
}
