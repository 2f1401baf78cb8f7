import Glibc
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

/// Whether a file ends where its last block says, and what becomes of one that does not.
@Suite struct EndTests {
    /// Five blocks and a bit, sealed, as they are on disk.
    private func makeFile() throws -> (TestFile, [UInt8]) {
        let file = try TestFile()
        try file.write(pattern(20_000), at: 0)
        return (file, try file.physicalBytes)
    }

    private func block(_ number: Int) -> Range<Int> { number * 4096..<(number + 1) * 4096 }

    @Test func `a file that was cut or made longer is refused, wherever that was`() throws {
        let (file, good) = try makeFile()
        let sizes = [4096, 4097, 8192, 8692, 5 * 4096, good.count - 1]
        let longer = [good + [0], good + [UInt8](repeating: 0, count: 104)]
        for bytes in sizes.map({ Array(good[..<$0]) }) + longer {
            try file.replacePhysical(bytes)
            let last = Int64(bytes.count / 4096 - 1)
            let stored = try file.reopen(rule: .accept)
            #expect(throws: StoreError.wrongEnd(block: last)) { try stored.proveEnd() }
        }
        try file.replacePhysical(good)
        try file.reopen(rule: .accept).proveEnd()
    }

    @Test
    func `a mark that was changed to fit a size shows, though nothing of its block is read`() throws
    {
        for (size, mark) in [(4096, 1024 + 14), (3 * 4096, 2 * 4096 + 14)] {
            let (file, good) = try makeFile()
            var bytes = Array(good[..<size])
            bytes[mark] = 1
            bytes[mark + 1] = 0
            try file.replacePhysical(bytes)
            let stored = try file.reopen(rule: .accept)
            let last = Int64(size / 4096 - 1)
            #expect(throws: StoreError.damaged(block: last)) { try stored.proveEnd() }
        }
    }

    @Test
    func `behind a last block that a crash may have left nothing is shown that was not written`()
        throws
    {
        let (file, good) = try makeFile()
        for filling in [UInt8(0), 7] {
            let more = [UInt8](repeating: filling, count: 8192)
            try file.replacePhysical(Array(good[..<(6 * 4096)]) + more + good[(6 * 4096)...])
            let stored = try file.reopen(rule: .accept)
            #expect(throws: StoreError.damaged(block: 7)) { try stored.proveEnd() }
            try stored.proveEnd(mayBeUnfinished: { _ in true })
            let whole = Int64(3040 + 4 * 4064)
            #expect(try stored.bytes(in: 0..<whole) == Array(pattern(20_000)[..<Int(whole)]))
            #expect(throws: StoreError.wrongEnd(block: 5)) {
                try stored.bytes(in: whole..<whole + 4000)
            }
        }
    }

    @Test
    func `the last block is sealed anew for the size that there is; one that is damaged is not`()
        throws
    {
        let (file, good) = try makeFile()
        try file.replacePhysical(Array(good[..<(4 * 4096 + 100)]))
        let cut = try file.reopen(rule: .accept)
        #expect(try cut.repair.mendEnd(mayCut: true) == .sealed)
        #expect(try cut.repair.mendEnd(mayCut: true) == nil)
        try cut.proveEnd()
        let kept = Array(pattern(20_000)[..<(3040 + 2 * 4064 + 100)])
        #expect(try file.reopen().contents() == kept)
        var bytes = Array(good[..<(4 * 4096 + 100)])
        bytes[3 * 4096 + 1000] ^= 1
        try file.replacePhysical(bytes)
        #expect(try file.reopen(rule: .accept).repair.mendEnd(mayCut: true) == nil)
        #expect(try file.physicalBytes == bytes)
    }

    @Test
    func `a last block that says less gives the file its size, unless somebody has it open`() throws
    {
        let (file, good) = try makeFile()
        try file.replacePhysical(good + [UInt8](repeating: 0, count: 300))
        let longer = try file.reopen(rule: .accept)
        #expect(try longer.repair.mendEnd(mayCut: false) == nil)
        #expect(try longer.repair.mendEnd(mayCut: true) == .cut)
        #expect(try longer.contents() == pattern(20_000))
        #expect(try file.physicalBytes == good)
    }

    @Test
    func `no mark of a block that nobody has opened sets a size; a repair opens the block`() throws
    {
        let (file, good) = try makeFile()
        let longer = good + [UInt8](repeating: 0, count: 300)
        for size in [good.count - 5, 6 * 4096, longer.count] {
            try file.replacePhysical(Array(longer[..<size]))
            let header = try #require(try file.reopen(rule: .accept).header)
            let descriptor = try openFile(file.path, O_RDWR)
            #expect(try !UnfinishedTail.mend(descriptor, of: header, believesMark: false))
            #expect(try file.physicalBytes.count == size)
            #expect(try UnfinishedTail.mend(descriptor, of: header, believesMark: true))
            #expect(try file.reopen().contents() == pattern(20_000))
        }
    }

    @Test func `a sparse file's zeros at the end are cut too: its last block is no hole`() throws {
        let file = try TestFile()
        try file.write(pattern(2000), at: 0)
        try file.truncate(to: 2_000_000)
        try file.truncate(to: 2000)
        let descriptor = try openFile(file.path, O_RDWR)
        try withExtendedLifetime(descriptor) { try setSize(descriptor.raw, 9192) }
        #expect(try file.reopen(rule: .accept).repair.cutUnfinishedTail())
        #expect(try file.reopen().contents() == pattern(2000))
    }

    @Test func `what could not be sealed at the end is known as unfinished until it is`() throws {
        let (file, _) = try makeFile()
        #expect(!file.stored.isUnfinished)
        Faults.arm(.write, nth: 1, times: 1, error: .ioError)
        try file.truncate(to: 15_000)
        Faults.disarm()
        #expect(file.stored.isUnfinished)
        try file.stored.finish()
        #expect(!file.stored.isUnfinished)
    }
}
