import MAMFormat
import MAMModel
import Testing

@Suite struct HeaderTests {
    static let owner = try? Identity(name: "ann@contoso.com", objectID: "5d3e-77")

    static func header(managed: Bool, class protectionClass: ProtectionClass = .complete)
        -> FileHeader
    {
        FileHeader(
            fileID: FileID(Bytes16(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)),
            owner: owner ?? .nobody,
            sealing: managed
                ? .init(
                    protectionClass: protectionClass, keyID: KeyID(Bytes16(high: 7, low: 8)),
                    isSparse: false,
                    ephemeralKey: protectionClass == .completeUnlessOpen
                        ? EphemeralKey(first: Bytes16(high: 1, low: 2), second: .zero) : .zero)
                : nil)
    }

    static func encode(_ header: FileHeader) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: FileHeader.byteCount)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        header.encode(into: &raw)
        FileHeader.finish(&raw)
        return bytes
    }

    static func decode(
        _ bytes: [UInt8], known: KnownFields = KnownFields()
    ) -> Result<FileHeader, HeaderError> {
        do throws(HeaderError) {
            return .success(try FileHeader.decode(bytes.span.bytes, known: known))
        } catch { return .failure(error) }
    }

    @Test func `fields stand at the documented offsets`() {
        let bytes = Self.encode(Self.header(managed: true))
        #expect(Array(bytes[0..<8]) == [0x89, 0x4D, 0x41, 0x4D, 0x46, 0x0D, 0x0A, 0x1A])
        #expect(Array(bytes[8..<12]) == [1, 0, 1, 1])
        #expect(Array(bytes[16..<32]) == Array(1...16))
        #expect(bytes[47] == 8)
        #expect(Array(bytes[48..<52]) == [15, 0, 7, 0])
        #expect(String(decoding: bytes[64..<79], as: UTF8.self) == "ann@contoso.com")
        #expect(String(decoding: bytes[576..<583], as: UTF8.self) == "5d3e-77")
    }

    @Test(arguments: [true, false])
    func `what was encoded decodes to the same, and encodes to the same bytes`(managed: Bool) throws
    {
        let bytes = Self.encode(Self.header(managed: managed))
        let header = try Self.decode(bytes).get()
        #expect(header.owner.name == "ann@contoso.com")
        #expect(header.isManaged == managed)
        #expect(Self.encode(header) == bytes)
    }

    @Test(arguments: [true, false]) func `every flipped bit is refused`(managed: Bool) {
        let good = Self.encode(Self.header(managed: managed))
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 1 << (bit % 8)
            if case .success = Self.decode(bytes) { Issue.record("bit \(bit) was not noticed") }
        }
    }

    @Test func `a header cut at any length is refused`() {
        let good = Self.encode(Self.header(managed: true))
        for count in 0..<good.count {
            guard case .failure(let error) = Self.decode(Array(good[..<count])) else {
                Issue.record("\(count) bytes were taken for a header")
                continue
            }
            #expect(error == (count < 8 ? .notProtected : .truncated(byteCount: count)))
        }
    }

    @Test(arguments: [14, 52, 736, 1019])
    func `a field that no writer fills is refused even with a right checksum`(offset: Int) {
        var bytes = Self.encode(Self.header(managed: true))
        bytes[offset] = 1
        Self.fixChecksum(&bytes)
        #expect(throws: HeaderError.self) { try Self.decode(bytes).get() }
    }

    @Test(arguments: [10, 1024])
    func `a newer version is no damage, however short it is`(length: Int) {
        var bytes = Array(Self.encode(Self.header(managed: true))[..<length])
        bytes[8] = 2
        #expect(throws: HeaderError.newerVersion(2)) { try Self.decode(bytes).get() }
        #expect(FileHeader.damage(of: bytes.span.bytes) == .newerVersion(2))
        bytes[..<8] = streamMagic[...]
        #expect(throws: HeaderError.newerVersion(2)) {
            try StreamForm.header(in: bytes.span.bytes)
        }
    }

    static func fixChecksum(_ bytes: inout [UInt8]) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        FileHeader.finish(&raw)
    }

    @Test func `CRC-32 is that of zlib`() {
        let bytes = Array("123456789".utf8)
        #expect(Checksum.crc32(bytes.span.bytes, count: 9) == 0xCBF4_3926)
    }

    @Test func `the checksum of any length is that of its bits, one by one`() {
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
        for count in 0...100 {
            for prefix in [[], [UInt8](bytes[40..<min(43, 40 + count)])] {
                var value: UInt32 = 0xFFFF_FFFF
                for index in 0..<count {
                    value ^= UInt32(index < prefix.count ? prefix[index] : bytes[index])
                    for _ in 0..<8 { value = (value >> 1) ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
                }
                let sum = Checksum.crc32(bytes.span.bytes, count: count, startingWith: prefix)
                #expect(sum == ~value)
            }
        }
    }
}

@Suite struct FileKindTests {
    struct Row: Sendable {
        let prefix: [UInt8]
        let size: Int64
        let kind: FileKind
    }

    static let magic = fileMagic
    static let rows = [
        Row(prefix: [], size: 0, kind: .empty),
        Row(prefix: Array("#!/bin/s".utf8), size: 500, kind: .foreign),
        Row(prefix: Array(magic[..<3]), size: 3, kind: .foreign),
        Row(prefix: Array(magic[..<4]), size: 4, kind: .damaged),
        Row(prefix: magic, size: 1023, kind: .damaged),
        Row(prefix: magic, size: 1024, kind: .protected),
    ]

    @Test(arguments: rows) func `kind by first bytes and size`(row: Row) {
        #expect(FileKind.classify(prefix: row.prefix.span.bytes, fileSize: row.size) == row.kind)
    }
}
