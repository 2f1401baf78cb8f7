import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

@Suite struct ContentTests {
    static let sizes: [Int] = [0, 1, 3039, 3040, 3041, 7103, 7104, 7105, 100_000, 1_200_000]

    @Test(
        arguments: sizes,
        [true, false])
    func `what was written reads the same, now and after opening again`(size: Int, managed: Bool)
        throws
    {
        let file = try TestFile(managed: managed)
        let bytes = pattern(size)
        try file.write(bytes, at: 0)
        #expect(try file.stored.contents() == bytes)
        #expect(try file.reopen().contents() == bytes)
        #expect(file.stored.size == Int64(size))
    }

    @Test(arguments: sizes) func `the physical size is the documented one`(size: Int) throws {
        let file = try TestFile()
        try file.write(pattern(size), at: 0)
        #expect(try file.physicalBytes.count == Int(Extent(plainSize: Int64(size)).physicalSize))
    }

    @Test(arguments: [true, false])
    func `a managed file's plain bytes are nowhere on disk, and an unmanaged file's are`(
        managed: Bool
    ) throws {
        let file = try TestFile(managed: managed)
        let bytes = pattern(9000)
        try file.write(bytes, at: 0)
        let physical = try file.physicalBytes
        let isFound = physical.indices.dropLast(16).contains {
            physical[$0..<$0 + 16].elementsEqual(bytes[3100..<3116])
        }
        #expect(isFound == !managed)
    }

    @Test func `a small managed file takes one block of disk space`() throws {
        let file = try TestFile()
        try file.write(pattern(3000), at: 0)
        try file.stored.synchronize(dataOnly: false)
        let status = try status(of: file.stored.descriptor.raw)
        #expect(status.st_blocks * 512 == 4096)
    }

    /// A file and an array of bytes do the same things; they must stay the same.
    @Test(
        arguments: 0..<12)
    func `any sequence of writes, truncations and holes agrees with a plain array`(seed: Int) throws
    {
        var numbers = SeededNumbers(state: UInt64(seed) &* 977 &+ 5)
        let managed = seed % 4 != 3
        let file = try TestFile(managed: managed)
        var model: [UInt8] = []
        let limit = seed % 2 == 0 ? 30_000 : 400_000
        for step in 0..<150 {
            let offset = Int.random(in: 0..<limit, using: &numbers)
            let count = Int.random(in: 1..<limit / 3, using: &numbers)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<6:
                let bytes = pattern(count, seed: numbers.next())
                try file.write(bytes, at: Int64(offset))
                if model.count < offset + count {
                    model += [UInt8](repeating: 0, count: offset + count - model.count)
                }
                model.replaceSubrange(offset..<offset + count, with: bytes)
            case 6, 7:
                try file.truncate(to: Int64(offset))
                model = Array(model.prefix(offset))
                model += [UInt8](repeating: 0, count: offset - model.count)
            case 8:
                let range = offset..<offset + count
                try file.stored.zero(
                    Int64(range.lowerBound)..<Int64(range.upperBound), sealer: file.sealer)
                for index in range.clamped(to: 0..<model.count) { model[index] = 0 }
            default:
                file.stored = try file.reopen()
            }
            if step % 10 == 9 {
                #expect(try file.stored.contents() == model, "seed \(seed), step \(step)")
            }
        }
        #expect(try file.reopen().contents() == model, "seed \(seed)")
    }

    @Test func `a far write leaves a hole that costs no space and reads as zeros`() throws {
        let file = try TestFile()
        try file.write(pattern(10), at: 1 << 40)
        #expect(file.stored.size == (1 << 40) + 10)
        #expect(
            try file.reopen().bytes(in: 5_000_000..<5_000_100) == [UInt8](repeating: 0, count: 100))
        #expect(try status(of: file.stored.descriptor.raw).st_blocks * 512 < 1 << 20)
    }

    @Test(arguments: [Int64.max, Int64.max - 5, -1])
    func `offsets and sizes that overflow are refused`(offset: Int64) throws {
        let file = try TestFile()
        #expect(throws: StoreError.system(.fileTooLarge)) { try file.write([1, 2], at: offset) }
        #expect(throws: StoreError.system(.fileTooLarge)) { try file.truncate(to: offset) }
        #expect(try file.reopen().contents() == [])
    }

    @Test
    func `without its key a file is neither read nor changed, and with it again it is`() throws {
        let file = try TestFile()
        try file.write(pattern(5000), at: 0)
        let before = try file.physicalBytes
        file.stored.revokeKey()
        #expect(throws: StoreError.keyUnavailable) { try file.stored.contents() }
        #expect(throws: StoreError.keyUnavailable) { try file.write([1], at: 0) }
        #expect(throws: StoreError.keyUnavailable) { try file.truncate(to: 10) }
        #expect(try file.physicalBytes == before)
        try file.stored.provideKey { header, bytes throws(StoreError) in
            try file.sealer.unwrap(header, bytes)
        }
        #expect(try file.stored.contents() == pattern(5000))
    }

    @Test func `beginning anew gives a new owner, a new key and no old byte`() throws {
        let file = try TestFile()
        try file.write(pattern(20_000), at: 0)
        let oldID = try #require(file.stored.header?.fileID)
        var header = try #require(file.stored.header)
        header.fileID = FileID(SecureRandom.bytes16())
        try file.stored.startOver(as: header, key: .random(count: 32), sealer: file.sealer)
        #expect(try file.reopen().contents() == [])
        #expect(try file.reopen().header?.fileID != oldID)
    }

    @Test func `concurrent readers and writers never see half a write`() throws {
        let file = try TestFile()
        let count = 20_000
        try file.write([UInt8](repeating: 0, count: count), at: 0)
        let stored = file.stored
        let sealer = file.sealer
        let done = DoneCounter(4)
        for worker in 0..<4 {
            try startThread(named: "worker") {
                for round in 0..<100 {
                    if worker % 2 == 0 {
                        let bytes = [UInt8](repeating: UInt8(round), count: count)
                        _ = bytes.withUnsafeBytes { buffer in
                            Result { try stored.write(buffer, at: 0, sealer: sealer) }
                        }
                    } else if let bytes = try? stored.contents() {
                        if !bytes.allSatisfy({ $0 == bytes[0] }) { done.fail() }
                    } else {
                        done.fail()
                    }
                }
                done.finish()
            }
        }
        #expect(done.wait())
    }
}

/// Waits for threads; counts failures.
final class DoneCounter: @unchecked Sendable {
    // Guarded by `mutex`.
    private var running: Int
    private var failures = 0
    private let mutex = ReadWriteLock()

    init(_ count: Int) { running = count }
    func finish() { mutex.exclusive { running -= 1 } }
    func fail() { mutex.exclusive { failures += 1 } }

    func wait() -> Bool {
        while mutex.shared({ running }) > 0 { usleep(1000) }
        return mutex.shared { failures } == 0
    }
}
