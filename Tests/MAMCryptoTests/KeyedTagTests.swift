import MAMCrypto
import Testing

@Suite struct KeyedTagTests {
    /// RFC 4231, test case 6 has a key of 131 bytes, the others short ones: a key of 32 bytes, by
    /// Python's `hmac`.
    private let key = secret(Array(0..<32))
    private let bytes = Array("what the daemon wrote".utf8)

    @Test func `it is HMAC-SHA256`() throws {
        let tag = try #require(KeyedTag.make(of: bytes, key: key))
        #expect(hex(tag) == "ad50eacb26fed28730d534ecf68464aaafb4dc4e5fe4fccf9f8851a80f5a1e30")
        #expect(
            hex(try #require(KeyedTag.make(of: [], key: key)))
                == "d38b42096d80f45f826b44a9d5607de72496a415d3f4a1a8c88e3bb9da8dc1cb")
    }

    @Test func `a right tag is right, and every changed bit makes it wrong`() throws {
        let tag = try #require(KeyedTag.make(of: bytes, key: key))
        #expect(KeyedTag.isRight(tag, of: bytes, key: key))
        for bit in 0..<(8 * tag.count) {
            var changed = tag
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!KeyedTag.isRight(changed, of: bytes, key: key))
        }
    }

    @Test(arguments: [[], [0], [UInt8](repeating: 0, count: 31), [UInt8](repeating: 0, count: 33)])
    func `a tag of another length is wrong`(_ tag: [UInt8]) {
        #expect(!KeyedTag.isRight(tag, of: bytes, key: key))
    }

    @Test func `without a key nothing is made and nothing is right`() throws {
        let tag = try #require(KeyedTag.make(of: bytes, key: key))
        key.erase()
        #expect(KeyedTag.make(of: bytes, key: key) == nil)
        #expect(!KeyedTag.isRight(tag, of: bytes, key: key))
        #expect(KeyedTag.make(of: bytes, key: secret([UInt8](repeating: 1, count: 31))) == nil)
    }
}

@Test func bytesAreComparedAsByTheirEquality() {
    let samples: [[UInt8]] = [[], [0], [0x41], [0x41, 0x41], [0x41, 0x67], [0x67, 0x41]]
    for one in samples {
        for other in samples {
            #expect(isEqualInConstantTime(one, other) == (one == other), "\(one), \(other)")
        }
    }
}
