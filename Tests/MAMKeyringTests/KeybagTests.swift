import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import Testing

@Suite struct KeybagTests {
    @Test(arguments: ["right", nil])
    func `decoding and encoding again gives the same bytes`(_ text: String?) throws {
        let bytes = try registered(passphrase: text)
        #expect(bytes.count == Keybag.byteCount + (text == nil ? 0 : 192))
        let keybag = try Keybag.decode(bytes.span.bytes)
        #expect(keybag.encoded == bytes)
        #expect(keybag.identity.name == ann)
        #expect(keybag.identity.objectID == "OID-1")
        #expect(keybag.uid == 1000)
        #expect(keybag.generation == 1)
        #expect(keybag.registrationTime == 1_000_000)
        #expect(keybag.slots.map(\.kind) == (text == nil ? [] : [.passphrase]))
    }

    /// Offsets from docs/FORMAT.md, section 3.
    @Test func `fields stand where the format says`() throws {
        let bytes = try registered(passphrase: "right")
        let span = bytes.span.bytes
        #expect(Array(bytes[0..<8]) == [0x89, 0x4D, 0x41, 0x4D, 0x4B, 0x0D, 0x0A, 0x1A])
        #expect(span.integer(UInt16.self, at: 8) == 4)
        #expect(Array(bytes[10..<12]) == [0, 0])
        #expect(span.integer(UInt32.self, at: 12) == 1000)
        #expect(span.integer(UInt64.self, at: 32) == 1)
        #expect(span.integer(Int64.self, at: 40) == 1_000_000)
        #expect(span.integer(UInt16.self, at: 48) == UInt16(ann.utf8.count))
        #expect(span.integer(UInt16.self, at: 50) == 5)
        #expect(Array(bytes[64..<64 + ann.utf8.count]) == Array(ann.utf8))
        #expect(Array(bytes[576..<581]) == Array("OID-1".utf8))
        #expect(Array(bytes[1008..<1020]) == [0, 1] + [UInt8](repeating: 0, count: 10))
        #expect(Array(bytes[1020..<1024]) == [1, 0, 0, 0])
        #expect(span.integer(UInt32.self, at: 1024) == 1)
        #expect(span.integer(UInt64.self, at: 1028) == 8192)
        #expect(span.integer(Int64.self, at: 1044) == 1_000_000)
        #expect(span.integer(UInt32.self, at: 1212) == Checksum.crc32(span, count: 1212))
    }

    @Test func `every changed bit breaks the checksum or is refused before`() throws {
        let bytes = try registered(passphrase: "right")
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: KeybagError.self) { try Keybag.decode(changed.span.bytes) }
        }
    }

    @Test func `every length but the whole one is refused`() throws {
        let bytes = try registered(passphrase: nil)
        for count in bytes.indices {
            let cut = Array(bytes[..<count])
            #expect(throws: KeybagError.truncated(byteCount: count)) {
                try Keybag.decode(cut.span.bytes)
            }
        }
        let longer = bytes + [0]
        #expect(throws: KeybagError.tooLong) { try Keybag.decode(longer.span.bytes) }
        let slots = try registered(passphrase: "right")
        for count in Keybag.byteCount..<slots.count {
            var cut = Array(slots[..<count])
            sign(&cut)
            #expect(throws: KeybagError.self) { try Keybag.decode(cut.span.bytes) }
        }
    }

    @Test(
        arguments: [
            (0, 0x88, .notAKeybag), (8, 6, .newerVersion(6)), (8, 5, .field(offset: 8)),
            (8, 3, .field(offset: 8)),
            (8, 2, .field(offset: 8)), (8, 0, .field(offset: 8)),
            (10, 2, .field(offset: 10)), (10, 1, .field(offset: 10)), (11, 1, .field(offset: 1008)),
            (32, 0, .field(offset: 32)), (47, 0x80, .field(offset: 40)), (49, 3, .ownerText),
            (48, 0, .ownerText), (48, 200, .ownerText), (52, 1, .field(offset: 52)),
            (63, 1, .field(offset: 52)), (64, 0xFF, .ownerText), (65, 0x0A, .ownerText),
            (575, 1, .ownerText), (640, 1, .field(offset: 640)), (1008, 1, .field(offset: 1008)),
            (1009, 0, .field(offset: 1008)), (1009, 2, .field(offset: 1008)),
            (1010, 1, .field(offset: 1010)), (1019, 1, .field(offset: 1010)),
            // The slot: kind, zeros, passes, memory, zeros, time, zeros.
            (1020, 0, .field(offset: 1020)), (1020, 3, .field(offset: 1008)),
            (1020, 4, .field(offset: 1020)),
            (1021, 1, .field(offset: 1020)), (1024, 0, .field(offset: 1020)),
            (1024, 101, .field(offset: 1020)), (1028, 1, .field(offset: 1020)),
            (1033, 1, .field(offset: 1020)), (1040, 1, .field(offset: 1020)),
            (1051, 0x80, .field(offset: 1020)), (1068, 1, .field(offset: 1020)),
        ] as [(Int, UInt8, KeybagError)])
    func `values that no writer gives are refused though the checksum is right`(
        _ offset: Int, _ value: UInt8, _ error: KeybagError
    ) throws {
        try refused(registered(passphrase: "right"), offset, value, error)
    }

    @Test(
        arguments: [
            (10, 3, .field(offset: 10)), (10, 0, .field(offset: 52)), (52, 0, .field(offset: 52)),
            (56, 1, .field(offset: 52)), (63, 1, .field(offset: 52)), (8, 4, .field(offset: 8)),
            (1009, 1, .field(offset: 1008)),
        ] as [(Int, UInt8, KeybagError)])
    func `so are those of versions without slots`(
        _ offset: Int, _ value: UInt8, _ error: KeybagError
    ) throws {
        try refused(KeybagVector.withPassphrase, offset, value, error)
    }

    private func refused(
        _ record: [UInt8], _ offset: Int, _ value: UInt8, _ error: KeybagError
    ) throws {
        var bytes = record
        bytes[offset] = value
        sign(&bytes)
        #expect(throws: error) { try Keybag.decode(bytes.span.bytes) }
        #expect(!"\(error)".isEmpty)
    }

    @Test func `slots that have no id or the same are refused`() throws {
        var bytes = try registered(passphrase: "right")
        bytes.replaceSubrange(1036..<1040, with: [0, 0, 0, 0])
        sign(&bytes)
        #expect(throws: KeybagError.field(offset: 1020)) { try Keybag.decode(bytes.span.bytes) }
        var two = KeybagVector.withSlots
        two.replaceSubrange(1020 + 192 + 16..<1020 + 192 + 20, with: two[1036..<1040])
        sign(&two)
        #expect(throws: KeybagError.field(offset: 1020)) { try Keybag.decode(two.span.bytes) }
    }

    @Test func `key ids that are missing or double are refused`() throws {
        var bytes = try registered(passphrase: "right")
        let one = Array(bytes[688..<704])
        bytes.replaceSubrange(704..<720, with: one)
        sign(&bytes)
        #expect(throws: KeybagError.field(offset: 688)) { try Keybag.decode(bytes.span.bytes) }
        bytes.replaceSubrange(704..<720, with: [UInt8](repeating: 0, count: 16))
        sign(&bytes)
        #expect(throws: KeybagError.field(offset: 688)) { try Keybag.decode(bytes.span.bytes) }
    }

    @Test func `a keybag of nobody is refused`() throws {
        var bytes = try registered(passphrase: nil)
        for offset in [48..<52, 64..<80, 576..<592].joined() { bytes[offset] = 0 }
        sign(&bytes)
        #expect(throws: KeybagError.ownerText) { try Keybag.decode(bytes.span.bytes) }
    }

    @Test(arguments: ["right", nil])
    func `whatever is decoded from random changes encodes to itself`(_ text: String?) throws {
        let bytes = try registered(passphrase: text)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count - 4, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            sign(&changed)
            if let keybag = try? Keybag.decode(changed.span.bytes) {
                #expect(keybag.encoded == changed)
            }
        }
    }

    private func registered(passphrase: String?) throws -> [UInt8] {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: passphrase)
        let both = try copies(of: account).map { try state.read($0) }
        #expect(both[0] == both[1])
        return both[0]
    }
}

/// Makes the checksum right, as an attacker would.
func sign(_ bytes: inout [UInt8]) {
    let end = bytes.count - 4
    let sum = Checksum.crc32(bytes.span.bytes, count: end)
    for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
}
