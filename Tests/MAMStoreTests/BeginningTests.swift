import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import Testing

@Suite(.serialized)
struct BeginningTests {
    struct RefusingSealer: HeaderSealer {
        func seal(
            _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
        ) throws(StoreError) -> FileHeader { throw .keyUnavailable }
    }

    func freshHeader(_ file: TestFile) throws -> FileHeader {
        var header = try #require(file.stored.header)
        header.fileID = FileID(SecureRandom.bytes16())
        return header
    }

    @Test func `a key that is refused loses nothing of the old content`() throws {
        let file = try TestFile()
        try file.write(pattern(5000), at: 0)
        let header = try freshHeader(file)
        #expect(throws: StoreError.keyUnavailable) {
            try file.stored.startOver(
                as: header, key: .random(count: 32), sealer: RefusingSealer())
        }
        #expect(try file.reopen().contents() == pattern(5000))
    }

    @Test
    func `after a failed first write, what other handles write is sealed all the same`() throws {
        let file = try TestFile()
        try file.write(pattern(5000), at: 0)
        let header = try freshHeader(file)
        Faults.arm(.write, nth: 1, times: 1, error: .noSpace)
        try file.stored.startOver(as: header, key: .random(count: 32), sealer: file.sealer)
        #expect(Faults.disarm())
        let secret = Array("a later secret that must not be plain".utf8)
        try file.write(secret, at: 0)
        #expect(try file.reopen().contents() == secret)
        let physical = try file.physicalBytes
        #expect(
            !physical.indices.dropLast(8).contains {
                physical[$0..<$0 + 8].elementsEqual(secret[..<8])
            })
    }

    /// As a file system leaves a new file whose first block it could not store.
    func unwrittenFile() throws -> (TestFile, FileHeader) {
        let file = try TestFile()
        let header = try freshHeader(file)
        try file.replacePhysical([UInt8](repeating: 0, count: Layout.blockByteCount))
        file.stored = try StoredFile(opening: TestFile.makeDescriptor(file.path))
        return (file, header)
    }

    @Test func `an unwritten file is empty, and takes no plain content`() throws {
        let (file, _) = try unwrittenFile()
        #expect(file.stored.size == 0)
        #expect(file.stored.isUnwritten)
        #expect(throws: StoreError.header(.gone)) { try file.write(pattern(100), at: 0) }
        #expect(throws: StoreError.header(.gone)) { try file.truncate(to: 100) }
        #expect(try file.physicalBytes == [UInt8](repeating: 0, count: Layout.blockByteCount))
    }

    @Test(arguments: 1...4)
    func `an unwritten file that is begun is sealed or empty`(nth: Int) throws {
        let (file, header) = try unwrittenFile()
        Faults.arm(.any, nth: nth, error: .noSpace)
        let begun: Void? = try? file.stored.startOver(
            as: header, key: .random(count: 32), sealer: file.sealer)
        Faults.disarm()
        #expect(file.stored.size == 0)
        #expect(file.stored.isUnwritten == (begun == nil))
        let size = Int64(try file.physicalBytes.count)
        let facts = try FileFacts(of: TestFile.makeDescriptor(file.path), physicalSize: size)
        #expect(facts.plainSize(ofPhysical: size) == 0)
        #expect(facts.isEmpty || facts.header?.isManaged == true)
    }

    @Test(arguments: 1...6)
    func `a shrink of a sparse file to inside a hole is whole at every point`(nth: Int) throws {
        let file = try TestFile()
        try file.truncate(to: 200_000)
        Faults.arm(.any, nth: nth, error: .ioError)
        _ = try? file.truncate(to: 100_000)
        Faults.disarm()
        let found = try file.reopen(rule: .accept).contents()
        #expect(found.allSatisfy { $0 == 0 })
        // Or the new size made up to a whole block, when a disk that fails for good leaves no way
        // on or back.
        let madeUp = Int(Layout.plainOffset(ofBlock: Layout.blockCount(plainSize: 100_000)))
        #expect([100_000, madeUp, 200_000].contains(found.count))
    }
}
