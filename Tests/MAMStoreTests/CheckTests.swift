import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

/// What a check of one file finds that the tests of whole workspaces cannot make, and mending with
/// failing calls.
@Suite struct CheckTests {
    private func problems(of file: StoredFile, withKey: Bool = true) throws -> FileProblems {
        var problems = FileProblems()
        var offset: Int64? = 0
        while let here = offset {
            offset = try file.check(at: here, withKey: withKey, &problems)
        }
        return problems
    }

    /// Five blocks and a bit, sealed, as they are on disk.
    private func makeFile() throws -> (TestFile, [UInt8]) {
        let file = try TestFile()
        try file.write(pattern(20_000), at: 0)
        return (file, try file.physicalBytes)
    }

    @Test func `an unreadable block is told with its error, and not taken for damage`() throws {
        let (file, _) = try makeFile()
        // Reads through it fail with EBADF.
        file.stored.replaceDescriptor(try openFile(file.path, O_WRONLY))
        let found = try problems(of: file.stored)
        #expect(found.unreadable.ranges == [0...5])
        #expect(found.readError == Errno(rawValue: EBADF))
        #expect(found.damaged.isEmpty && !found.isBeyondMending && !found.isClean)
    }

    @Test func `a header that was changed under an open file is found, and written back`() throws {
        let (file, good) = try makeFile()
        var bytes = good
        bytes[100] ^= 1
        try file.replacePhysical(bytes)
        #expect(try problems(of: file.stored).hasOtherHeader)
        #expect(try file.stored.repair.mend())
        #expect(try Array(file.physicalBytes[..<1024]) == Array(good[..<1024]))
        #expect(try file.reopen().contents() == pattern(20_000))
    }

    @Test func `a size far beyond the data is found without reading the hole, and cut`() throws {
        let (file, good) = try makeFile()
        let descriptor = try openFile(file.path, O_RDWR)
        try withExtendedLifetime(descriptor) { try setSize(descriptor.raw, Int64(1) << 40) }
        let damaged = try file.reopen(rule: .accept)
        let found = try problems(of: damaged)
        // The old last block's own end mark says how long the file was.
        #expect(found.unfinished == Extent(physicalSize: Int64(good.count)))
        #expect(found.zeroed.isEmpty && found.wrongEnds.isEmpty)
        #expect(try damaged.repair.cutUnfinishedTail())
        #expect(try file.physicalBytes.count == good.count)
        #expect(try file.reopen().contents() == pattern(20_000))
    }

    @Test(arguments: 1...2)
    func `where holes are not told, there is no tail, and all is read`(nth: Int) throws {
        let (file, good) = try makeFile()
        try file.replacePhysical(good[..<8192] + [UInt8](repeating: 0, count: 40_960))
        let damaged = try file.reopen(rule: .accept)
        Faults.arm(.seek, nth: nth, times: 1, error: .ioError)
        #expect(throws: StoreError.system(.ioError)) { try damaged.repair.cutUnfinishedTail() }
        #expect(Faults.disarm())
        Faults.arm(.seek, nth: 1, error: .ioError)
        let found = try problems(of: damaged)
        Faults.disarm()
        #expect(found.unfinished == nil && found.zeroed.ranges == [2...11])
    }

    @Test
    func `a file that ends before its last block's mark is cut short, but not behind it`() throws {
        let (file, good) = try makeFile()
        for count in [4 * 4096, 4 * 4096 + 100] {
            try file.replacePhysical(Array(good[..<count]))
            let found = try problems(of: file.reopen(rule: .accept))
            #expect(found.isCutShort && found.wrongEnds.count == 1)
        }
        for other in [good + [0], Array(good.dropLast()), Array(good[..<(6 * 4096)])] {
            try file.replacePhysical(other)
            let found = try problems(of: file.reopen(rule: .accept))
            #expect(!found.isCutShort && found.wrongEnds.isEmpty && found.misplacedEnd == 5)
            #expect(found.unfinished == Extent(physicalSize: Int64(good.count)))
        }
        try file.replacePhysical(good[..<(4 * 4096)] + [UInt8](repeating: 0, count: 4096))
        let tail = try problems(of: file.reopen(rule: .accept))
        #expect(tail.unfinished != nil && !tail.isCutShort && !tail.wrongEnds.isEmpty)
    }

    @Test
    func `a hole of a terabyte in a sparse file is skipped, and nothing is wrong with it`() throws {
        let (file, _) = try makeFile()
        try file.truncate(to: Int64(1) << 40)
        #expect(try problems(of: file.stored).isClean)
        #expect(try !file.stored.repair.cutUnfinishedTail())
    }

    @Test
    func `no size follows from block 0 without its seal, nor from an end mark that no block has`()
        throws
    {
        let (file, good) = try makeFile()
        let zeros = [UInt8](repeating: 0, count: good.count)
        let headerAlone = good[..<1024] + zeros[1024...]
        try file.replacePhysical(Array(headerAlone))
        #expect(try problems(of: file.reopen(rule: .accept)).unfinished == nil)
        var mark = good[..<(3 * 4096)] + zeros[(3 * 4096)...]
        mark[2 * 4096 + 15] = 0xFF
        try file.replacePhysical(Array(mark))
        let found = try problems(of: file.reopen(rule: .accept))
        #expect(found.unfinished == nil)
        #expect(found.damaged.ranges == [2...2] && found.zeroed.ranges == [3...5])
        #expect(try !file.reopen(rule: .accept).repair.cutUnfinishedTail())
    }

    @Test
    func `without the key zeros and end marks are found, and that the rest is not known`() throws {
        let (file, good) = try makeFile()
        var bytes = good
        bytes[5000] ^= 1
        bytes.replaceSubrange(3 * 4096..<4 * 4096, with: [UInt8](repeating: 0, count: 4096))
        try file.replacePhysical(bytes)
        let found = try problems(of: file.reopen(), withKey: false)
        #expect(found.lackedKey && found.damaged.isEmpty && found.zeroed.ranges == [3...3])
        #expect(try problems(of: file.reopen()).damaged.ranges == [1...1])
    }

    @Test
    func `with every write failing in turn, a mended file reads as before or as mended`() throws {
        let (file, good) = try makeFile()
        let zeros = [UInt8](repeating: 0, count: 4096)
        var bytes = Array(good[..<(4 * 4096 + 100)])
        for block in 1...2 {
            bytes.replaceSubrange(block * 4096..<(block + 1) * 4096, with: zeros)
        }
        var mended = Array(pattern(20_000)[..<(3040 + 2 * 4064 + 100)])
        mended.replaceSubrange(3040..<3040 + 2 * 4064, with: [UInt8](repeating: 0, count: 2 * 4064))
        for number in 1...10 {
            try file.replacePhysical(bytes)
            let stored = try file.reopen(rule: .accept)
            Faults.arm(.any, nth: number, times: 1, error: .noSpace)
            let failed: Bool
            do {
                _ = try stored.repair.mend()
                failed = false
            } catch { failed = true }
            Faults.disarm()
            _ = try stored.repair.mend()
            #expect(try problems(of: stored).isClean)
            #expect(try file.reopen().contents() == mended)
            if !failed { return #expect(number > 2) }
        }
        Issue.record("the mending did not come to its end")
    }
}
