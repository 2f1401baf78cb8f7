import MAMCrypto
import MAMFormat
import MAMStore
import Testing

/// Changes the bytes of a file on disk in every way that docs/FORMAT.md says is detected.
@Suite struct DamageTests {
    /// Three blocks and a bit.
    static let size = 9000

    func makeFile(seed: UInt64 = 1, sealer: TestSealer? = nil) throws -> TestFile {
        let file = try TestFile(sealer: sealer)
        try file.write(pattern(Self.size, seed: seed), at: 0)
        return file
    }

    /// True if reading the changed bytes gives an error; recorded if it gives other bytes than the
    /// original's.
    func isDetected(_ bytes: [UInt8], in file: TestFile) throws -> Bool {
        try file.replacePhysical(bytes)
        do throws(StoreError) {
            _ = try file.reopen().contents()
            return false
        } catch { return error.isDamage || error == .header(.newerVersion(0)) || isHeader(error) }
    }

    private func isHeader(_ error: StoreError) -> Bool {
        if case .header = error { true } else { false }
    }

    @Test func `every single bit of the header and of every seal, and of sampled payload`() throws {
        let file = try makeFile()
        let good = try file.physicalBytes
        var offsets = Array(0..<1056)
        for block in 1...2 { offsets += (block * 4096)..<(block * 4096 + 32) }
        offsets += stride(from: 1056, to: 3 * 4096, by: 7)
        var tried = 0
        var missed: [Int] = []
        for offset in offsets {
            for bit in 0..<8 {
                var bytes = good
                bytes[offset] ^= 1 << bit
                tried += 1
                if try !isDetected(bytes, in: file) { missed.append(offset) }
            }
        }
        #expect(missed.isEmpty, "\(missed.count) of \(tried) flips were not noticed")
    }

    @Test func `every block swapped with another of the same file`() throws {
        let file = try makeFile()
        let good = try file.physicalBytes
        for (one, other) in [(1, 2), (2, 1)] {
            var bytes = good
            let first = good[one * 4096..<(one + 1) * 4096]
            bytes.replaceSubrange(other * 4096..<(other + 1) * 4096, with: first)
            #expect(try isDetected(bytes, in: file))
        }
        // Block 0's seal and payload put where they would fit elsewhere, and the other way round.
        var bytes = good
        bytes.replaceSubrange(1024..<4096, with: good[4096..<4096 + 3072])
        #expect(try isDetected(bytes, in: file))
    }

    @Test(arguments: 0..<3)
    func `every block taken from another file of the same owner`(block: Int) throws {
        let file = try makeFile()
        let other = try makeFile(seed: 2, sealer: file.sealer)
        var bytes = try file.physicalBytes
        let range = block == 0 ? 1024..<4096 : block * 4096..<(block + 1) * 4096
        bytes.replaceSubrange(range, with: try other.physicalBytes[range])
        #expect(try isDetected(bytes, in: file))
    }

    @Test func `every header taken from another file of the same owner`() throws {
        let file = try makeFile()
        let other = try makeFile(seed: 2, sealer: file.sealer)
        var bytes = try file.physicalBytes
        bytes.replaceSubrange(0..<1024, with: try other.physicalBytes[0..<1024])
        #expect(try isDetected(bytes, in: file))
    }

    @Test(arguments: 0..<3) func `every block zeroed`(block: Int) throws {
        let file = try makeFile()
        var bytes = try file.physicalBytes
        let range = block == 0 ? 1024..<4096 : block * 4096..<(block + 1) * 4096
        bytes.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
        #expect(try isDetected(bytes, in: file))
    }

    @Test func `the file cut short at every length from 4 bytes on`() throws {
        let file = try makeFile()
        let good = try file.physicalBytes
        // Every length around each edge, and a prime step between.
        let edges = [4, 8, 1024, 1056, 4096, 4096 + 3040, 8192, 8192 + 4064, 12_288, good.count]
        let near = edges.flatMap { ($0 - 3)...($0 + 3) }
        let lengths = Set(near + Array(stride(from: 4, to: good.count, by: 37)))
            .filter { $0 >= 4 && $0 < good.count }
        var missed: [Int] = []
        for length in lengths.sorted() {
            if try !isDetected(Array(good[..<length]), in: file) { missed.append(length) }
        }
        #expect(missed.isEmpty)
    }

    @Test func `the file made longer by zero bytes`() throws {
        let file = try makeFile()
        let good = try file.physicalBytes
        for more in [1, 10, 500, 4096, 8192] {
            #expect(try isDetected(good + [UInt8](repeating: 0, count: more), in: file))
        }
    }

    @Test func `a sparse file's zeroed last block`() throws {
        let file = try TestFile()
        try file.truncate(to: 50_000)
        var bytes = try file.physicalBytes
        #expect(try file.reopen().contents() == [UInt8](repeating: 0, count: 50_000))
        let last = (bytes.count / 4096 - 1) * 4096
        bytes.replaceSubrange(last..<last + 4096, with: [UInt8](repeating: 0, count: 4096))
        #expect(try isDetected(bytes, in: file))
    }

    @Test
    func `damage stays local: other blocks read, and the damaged one can be overwritten`() throws {
        let file = try makeFile()
        var bytes = try file.physicalBytes
        bytes[4096 + 100] ^= 1
        try file.replacePhysical(bytes)
        let damaged = try file.reopen()
        #expect(throws: StoreError.damaged(block: 1)) { try damaged.bytes(in: 3040..<3041) }
        #expect(try damaged.bytes(in: 0..<3040) == Array(pattern(Self.size)[..<3040]))
        #expect(try damaged.bytes(in: 7104..<9000) == Array(pattern(Self.size)[7104...]))
        // Part of a damaged block cannot be kept; a whole one can be replaced.
        file.stored = damaged
        #expect(throws: StoreError.damaged(block: 1)) { try file.write([9], at: 4000) }
        try file.write(pattern(4064, seed: 3), at: 3040)
        #expect(try file.reopen().bytes(in: 3040..<7104) == pattern(4064, seed: 3))
    }

    @Test
    func `a crash between a block and its size is readable, and refused by the strict reader`()
        throws
    {
        let file = try makeFile()
        let old = try file.physicalBytes
        try file.write(pattern(500, seed: 4), at: Int64(Self.size))
        // The block is new and the size old, as if the power went in between.
        try file.replacePhysical(Array(try file.physicalBytes[..<old.count]))
        #expect(try file.reopen(rule: .accept).contents() == pattern(Self.size))
        #expect(throws: StoreError.wrongEnd(block: 2)) { try file.reopen(rule: .refuse).contents() }
    }
}
