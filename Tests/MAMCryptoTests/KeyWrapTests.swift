import MAMCrypto
import Testing

@Suite struct KeyWrapTests {
    // `[UInt8](0..<32)` under `[UInt8](32..<64)`, associated data `header`; source as in GCMVector.
    private let known = bytes(
        """
        404142434445464748494a4b4c4d4e4f0a43c78500d48dffc8ad5f25bca6e262\
        29db54826f446e88095525a588e2eb89bf3bd9aef4d5afef9be7c0c104d96b32
        """)
    private let key = secret([UInt8](0..<32))
    private let wrappingKey = secret([UInt8](32..<64))
    private let data = Array("header".utf8)

    @Test func `a known wrapped key opens`() throws {
        #expect(try unwrap(known).equals(key))
    }

    @Test func `what was wrapped opens and two wraps differ`() throws {
        let one = try wrap(key)
        let two = try wrap(key)
        #expect(one != two)
        #expect(try unwrap(one).equals(key))
        #expect(try unwrap(two).equals(key))
    }

    @Test func `every changed bit and every other associated data is refused`() {
        for bit in 0..<known.count * 8 {
            var changed = known
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: SealError.notAuthentic) { try unwrap(changed) }
        }
        for data in ["Header", "header ", "heade", ""] {
            #expect(throws: SealError.notAuthentic) {
                try unwrap(known, data: Array(data.utf8))
            }
        }
    }

    @Test func `erased keys neither wrap nor are wrapped`() {
        let erased = SecretBytes.random(count: 32)
        erased.erase()
        #expect(throws: SealError.failure) { try wrap(erased) }
        #expect(throws: SealError.failure) { try wrap(key, under: erased) }
        #expect(throws: SealError.failure) { try wrap(.random(count: 16)) }
    }

    private func wrap(
        _ key: SecretBytes, under wrappingKey: SecretBytes? = nil
    ) throws(SealError) -> [UInt8] {
        var wrapped = [UInt8](repeating: 0, count: KeyWrap.byteCount)
        try withBuffer(of: data) { data throws(SealError) in
            let into = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
            defer { into.deallocate() }
            try KeyWrap.wrap(
                key, under: wrappingKey ?? self.wrappingKey, associatedData: data, into: into)
            wrapped = Array(into)
        }
        return wrapped
    }

    private func unwrap(_ wrapped: [UInt8], data: [UInt8]? = nil) throws(SealError) -> SecretBytes {
        try withBuffer(of: wrapped) { wrapped throws(SealError) in
            try withBuffer(of: data ?? self.data) { data throws(SealError) in
                try KeyWrap.unwrap(wrapped, under: wrappingKey, associatedData: data)
            }
        }
    }
}
