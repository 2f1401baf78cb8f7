import Testing

@testable import MAMCrypto

/// What each library does by itself. Where the processor has no vector instructions there is but
/// one.
@Suite struct GCMLibraryTests {
    static let available = GCMLibrary.allCases.filter(\.isAvailable)

    @Test func `OpenSSL is always there and the others where they were found`() {
        #expect(Self.available.contains(.openSSL))
        #expect((vectorLibraryVersion != nil) == (Self.available.count > 1))
        #expect(Self.available.contains(GCMLibrary.chosen))
    }

    @Test(arguments: available, GCMVector.all)
    func `each gives the known answer`(_ library: GCMLibrary, _ vector: GCMVector) throws {
        try with(library, key: vector.key) { context in
            let (sealed, tag) = try context.seal(vector.plain, vector.nonce, vector.data)
            #expect(hex(sealed) == hex(vector.sealed))
            #expect(hex(tag) == hex(vector.tag))
        }
    }

    @Test(arguments: available)
    func `each finds every changed bit and zeroes the output`(_ library: GCMLibrary) throws {
        let vector = GCMVector.hello
        let parts = [vector.sealed, vector.nonce, vector.data, vector.tag]
        try with(library, key: vector.key) { context in
            for part in parts.indices {
                for bit in 0..<parts[part].count * 8 {
                    var changed = parts
                    changed[part][bit / 8] ^= 1 << (bit % 8)
                    let (found, error) = context.open(
                        changed[0], changed[1], changed[2], changed[3])
                    #expect(error == .notAuthentic)
                    #expect(found.allSatisfy { $0 == 0 })
                }
            }
        }
    }

    // All lengths up to some times what the instructions take at once.
    @Test(arguments: available, available)
    func `what one seals the other opens`(_ one: GCMLibrary, _ other: GCMLibrary) throws {
        let key = (0..<32).map { UInt8(200 - $0) }
        try with(one, key: key) { one in
            try with(other, key: key) { other in
                for count in Array(0...1100) + [4063, 4064, 4065, 65_536] {
                    let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
                    let nonce = (0..<16).map { UInt8(truncatingIfNeeded: count &+ $0) }
                    let data = Array(plain.prefix(count % 65))
                    let (sealed, tag) = try one.seal(plain, nonce, data)
                    let (found, error) = other.open(sealed, nonce, data, tag)
                    #expect(error == nil && found == plain, "\(count) bytes")
                }
            }
        }
    }

    private func with(
        _ library: GCMLibrary, key: [UInt8], _ body: (GCMContext) throws -> Void
    ) throws {
        let context = try #require(AESGCM.context(for: secret(key), by: library))
        defer { context.free() }
        try body(context)
    }
}

// In place, as the store does it.
extension GCMContext {
    fileprivate func seal(
        _ plain: [UInt8], _ nonce: [UInt8], _ data: [UInt8]
    ) throws(SealError) -> ([UInt8], [UInt8]) {
        var tag = [UInt8](repeating: 0, count: 16)
        let sealed = try inPlace(plain, data) { text, data throws(SealError) in
            guard let start = text.baseAddress else { throw .failure }
            try seal(
                UnsafeRawBufferPointer(text), nonce: nonce, associatedData: data, into: start,
                tag: &tag)
        }
        return (sealed, tag)
    }

    /// What was left in the buffer, and the error.
    fileprivate func open(
        _ sealed: [UInt8], _ nonce: [UInt8], _ data: [UInt8], _ tag: [UInt8]
    ) -> ([UInt8], SealError?) {
        var failure: SealError?
        let found = inPlace(sealed, data) { text, data in
            do throws(SealError) {
                guard let start = text.baseAddress else { throw .failure }
                try open(
                    UnsafeRawBufferPointer(text), nonce: nonce, associatedData: data, tag: tag,
                    into: start)
            } catch { failure = error }
        }
        return (found, failure)
    }

    private func inPlace<Failure: Error>(
        _ text: [UInt8], _ data: [UInt8],
        _ body: (UnsafeMutableRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        // One byte more than asked for: the address of nothing would be nil.
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count + 1, alignment: 16)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count + 1, alignment: 16)
        defer {
            room.deallocate()
            copy.deallocate()
        }
        room.copyBytes(from: text)
        copy.copyBytes(from: data)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: room[..<text.count])
        try body(bytes, UnsafeRawBufferPointer(rebasing: copy[..<data.count]))
        return Array(bytes)
    }
}
