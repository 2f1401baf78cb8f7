import MAMCrypto
import Testing

@Suite struct BlockCipherTests {
    @Test(arguments: GCMVector.all)
    func `sealing gives the known answer and opening the plain bytes`(_ vector: GCMVector) throws {
        let cipher = BlockCipher(key: secret(vector.key))
        let (sealed, tag) = try seal(vector.plain, vector, with: cipher)
        #expect(hex(sealed) == hex(vector.sealed))
        #expect(hex(tag) == hex(vector.tag))
        #expect(try open(vector.sealed, vector, tag: vector.tag, with: cipher) == vector.plain)
    }

    @Test func `a whole payload in place gives the known answer`() throws {
        let vector = GCMVector.payload
        let cipher = BlockCipher(key: secret(vector.key))
        var block = vector.plain
        var tag = [UInt8](repeating: 0, count: 16)
        try inPlace(&block) { buffer, start throws(SealError) in
            try cipher.withSession { session throws(SealError) in
                try session.seal(
                    buffer, nonce: vector.nonce, data: vector.data, into: start, tag: &tag)
            }
        }
        #expect(hex(block.prefix(16)) == vector.head)
        #expect(hex(block.suffix(16)) == vector.tail)
        #expect(hex(tag) == vector.tag)
        try inPlace(&block) { buffer, start throws(SealError) in
            try cipher.withSession { session throws(SealError) in
                try session.open(
                    buffer, nonce: vector.nonce, data: vector.data, tag: tag, into: start)
            }
        }
        #expect(block == vector.plain)
    }

    @Test func `one session seals and opens in turn without mixing anything up`() throws {
        let cipher = BlockCipher(key: .random(count: 32))
        try cipher.withSession { session throws(SealError) in
            for round in 0..<50 {
                let plain = [UInt8](repeating: UInt8(round), count: round * 80)
                let nonce = (0..<16).map { UInt8($0 + round) }
                var sealed = plain
                var tag = [UInt8](repeating: 0, count: 16)
                try session.seal(plain, nonce: nonce, data: nonce + nonce, into: &sealed, tag: &tag)
                if round > 0 { #expect(sealed != plain) }
                var opened = sealed
                try session.open(sealed, nonce: nonce, data: nonce + nonce, tag: tag, into: &opened)
                #expect(opened == plain)
            }
        }
    }

    @Test func `every changed bit of what was sealed is found and the output is zeroed`() throws {
        let vector = GCMVector.hello
        let cipher = BlockCipher(key: secret(vector.key))
        let parts = [vector.sealed, vector.nonce, vector.data, vector.tag]
        for part in parts.indices {
            for bit in 0..<parts[part].count * 8 {
                var changed = parts
                changed[part][bit / 8] ^= 1 << (bit % 8)
                var output = [UInt8](repeating: 0xEE, count: vector.sealed.count)
                let error = #expect(throws: SealError.self) {
                    try cipher.withSession { session throws(SealError) in
                        try session.open(
                            changed[0], nonce: changed[1], data: changed[2], tag: changed[3],
                            into: &output)
                    }
                }
                #expect(error == .notAuthentic)
                #expect(output.allSatisfy { $0 == 0 })
            }
        }
        // The same session's context is good again after a refusal.
        #expect(try open(vector.sealed, vector, tag: vector.tag, with: cipher) == vector.plain)
    }

    @Test func `a revoked cipher refuses and leaves an erased key`() throws {
        let vector = GCMVector.hello
        let cipher = BlockCipher(key: secret(vector.key))
        _ = try seal(vector.plain, vector, with: cipher)
        cipher.revoke()
        #expect(throws: SealError.failure) { try seal(vector.plain, vector, with: cipher) }
        #expect(throws: SealError.failure) {
            try open(vector.sealed, vector, tag: vector.tag, with: cipher)
        }
        cipher.key.withBytes { #expect($0.isEmpty) }
    }

    @Test func `a session that is out finishes while the cipher is revoked`() throws {
        let vector = GCMVector.hello
        let cipher = BlockCipher(key: secret(vector.key))
        try cipher.withSession { session throws(SealError) in
            cipher.revoke()
            var sealed = vector.plain
            var tag = [UInt8](repeating: 0, count: 16)
            try session.seal(
                vector.plain, nonce: vector.nonce, data: vector.data, into: &sealed, tag: &tag)
            #expect(sealed == vector.sealed)
        }
        #expect(throws: SealError.failure) { try seal(vector.plain, vector, with: cipher) }
    }

    @Test func `keys of another length or erased ones are refused`() {
        let erased = SecretBytes.random(count: 32)
        erased.erase()
        for key in [SecretBytes(count: 0), .random(count: 16), .random(count: 64), erased] {
            #expect(throws: SealError.failure) {
                try seal([1, 2, 3], .hello, with: BlockCipher(key: key))
            }
        }
    }

    private func seal(
        _ plain: [UInt8], _ vector: GCMVector, with cipher: BlockCipher
    ) throws(SealError) -> ([UInt8], [UInt8]) {
        var sealed = plain
        var tag = [UInt8](repeating: 0, count: 16)
        try cipher.withSession { session throws(SealError) in
            try session.seal(
                plain, nonce: vector.nonce, data: vector.data, into: &sealed, tag: &tag)
        }
        return (sealed, tag)
    }

    private func open(
        _ sealed: [UInt8], _ vector: GCMVector, tag: [UInt8], with cipher: BlockCipher
    ) throws(SealError) -> [UInt8] {
        var plain = sealed
        try cipher.withSession { session throws(SealError) in
            try session.open(
                sealed, nonce: vector.nonce, data: vector.data, tag: tag, into: &plain)
        }
        return plain
    }

    /// Lends an array's bytes as input and output at once.
    private func inPlace(
        _ block: inout [UInt8],
        _ body: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) throws(SealError) -> Void
    ) throws {
        try block.withUnsafeMutableBytes { buffer in
            let start = try #require(buffer.baseAddress)
            try body(UnsafeRawBufferPointer(buffer), start)
        }
    }
}

// Arrays in place of pointers. Empty ones have an address too, so a spare byte is lent.
extension BlockCipher.Session {
    borrowing func seal(
        _ plain: [UInt8], nonce: [UInt8], data: [UInt8], into sealed: inout [UInt8],
        tag: inout [UInt8]
    ) throws(SealError) {
        try withBuffer(of: plain) { plain throws(SealError) in
            try seal(plain, nonce: nonce, data: data, into: &sealed, tag: &tag)
        }
    }

    borrowing func seal(
        _ plain: UnsafeRawBufferPointer, nonce: [UInt8], data: [UInt8],
        into sealed: UnsafeMutableRawPointer, tag: UnsafeMutableRawPointer
    ) throws(SealError) {
        try withBuffer(of: data) { data throws(SealError) in
            try seal(plain, nonce: nonce, associatedData: data, into: sealed, tag: tag)
        }
    }

    borrowing func open(
        _ sealed: [UInt8], nonce: [UInt8], data: [UInt8], tag: [UInt8], into plain: inout [UInt8]
    ) throws(SealError) {
        try withBuffer(of: sealed) { sealed throws(SealError) in
            try open(sealed, nonce: nonce, data: data, tag: tag, into: &plain)
        }
    }

    borrowing func open(
        _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], data: [UInt8], tag: [UInt8],
        into plain: UnsafeMutableRawPointer
    ) throws(SealError) {
        try withBuffer(of: data) { data throws(SealError) in
            try open(sealed, nonce: nonce, associatedData: data, tag: tag, into: plain)
        }
    }
}

func withBuffer<Result>(
    of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(SealError) -> Result
) throws(SealError) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try body(UnsafeRawBufferPointer(copy))
}
