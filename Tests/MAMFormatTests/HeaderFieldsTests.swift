import MAMFormat
import MAMModel
import Testing

@Suite struct HeaderFieldsTests {
    /// The bytes with one bit changed and the checksum that fits.
    static func altered(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
        var bytes = bytes
        bytes[offset] ^= 1
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        FileHeader.finish(&raw)
        return bytes
    }

    private static func known(_ headers: [[UInt8]]) throws -> KnownFields {
        var known = KnownFields()
        for bytes in headers {
            known.add(try HeaderTests.decode(bytes).get(), of: bytes.span.bytes)
        }
        return known
    }

    @Test func `a header that differs in one bit from a known one is itself, or refused`() throws {
        for managed in [true, false] {
            let bytes = HeaderTests.encode(HeaderTests.header(managed: managed))
            let known = try Self.known([bytes])
            #expect(known.lack(try HeaderTests.decode(bytes).get()))
            #expect(!known.lack(try HeaderTests.decode(bytes, known: known).get()))
            for offset in 8..<1020 where !FileHeader.wrappedKeyRange.contains(offset) {
                let other = Self.altered(bytes, at: offset)
                guard case .success(let header) = HeaderTests.decode(other, known: known) else {
                    continue
                }
                #expect(HeaderTests.encode(header) == other, "byte \(offset)")
            }
        }
    }

    @Test func `a wrapped key in an unmanaged file is refused, known or not`() throws {
        let bytes = HeaderTests.encode(HeaderTests.header(managed: false))
        let known = try Self.known([bytes])
        for offset in FileHeader.wrappedKeyRange {
            let other = Self.altered(bytes, at: offset)
            guard case .failure = HeaderTests.decode(other, known: known) else {
                Issue.record("byte \(offset) is taken")
                return
            }
        }
    }

    @Test func `more kinds of headers than are remembered are all told apart`() throws {
        let headers = try (0..<100).map { number in
            var header = HeaderTests.header(managed: true)
            header.owner = try Identity(name: "user\(number)@contoso.com")
            return HeaderTests.encode(header)
        }
        let known = try Self.known(headers)
        for bytes in headers + headers.reversed() {
            #expect(HeaderTests.encode(try HeaderTests.decode(bytes, known: known).get()) == bytes)
        }
    }

    @Test func `a header that changes leaves those that shared its fields as they were`() throws {
        let bytes = HeaderTests.encode(HeaderTests.header(managed: true))
        let known = try Self.known([bytes])
        let (first, second) = (
            try HeaderTests.decode(bytes, known: known).get(),
            try HeaderTests.decode(bytes, known: known).get()
        )
        var changed = first
        changed.share(known, bytes.span.bytes)
        changed.owner = .nobody
        changed.sealing?.isSparse = true
        #expect(changed.owner.isNobody)
        #expect(changed.sealing?.isSparse == true)
        #expect(HeaderTests.encode(second) == bytes)
        #expect(HeaderTests.encode(first) == bytes)
    }
}

@Suite struct ChecksumTests {
    @Test func `it is CRC-32 at every length, with a prefix too`() {
        let bytes = (0..<67).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 5) }
        for count in 0...bytes.count {
            for prefix in [[], [1, 2, 3] as [UInt8]] where prefix.count <= count {
                let whole = prefix + bytes[prefix.count..<count]
                #expect(
                    Checksum.crc32(bytes.span.bytes, count: count, startingWith: prefix)
                        == Self.byBits(whole))
            }
        }
        #expect(Checksum.crc32(Array("123456789".utf8).span.bytes, count: 9) == 0xCBF4_3926)
    }

    @Test func `zeros in runs count like any bytes, wherever they begin and end`() {
        for start in [0, 1, 7, 8, 9, 64, 71] {
            for zeroCount in [0, 8, 63, 64, 65, 72, 127, 128, 200, 320] {
                for rest in [0, 1, 8, 70] {
                    let bytes =
                        [UInt8](repeating: 0xA5, count: start)
                        + [UInt8](repeating: 0, count: zeroCount)
                        + [UInt8](repeating: 0x5A, count: rest)
                    #expect(
                        Checksum.crc32(bytes.span.bytes, count: bytes.count)
                            == Self.byBits(bytes))
                }
            }
        }
    }

    private static func byBits(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { value, byte in
            (0..<8).reduce(value ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
            }
        }
    }
}
