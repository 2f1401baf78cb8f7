import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import Testing

@Suite struct KeybagVectorTests {
    /// BIP 39's words for 16 zero bytes.
    private static let words = String(repeating: "abandon ", count: 11) + "about"

    @Test(arguments: [KeybagVector.withPassphrase, KeybagVector.withoutPassphrase])
    func `another program's keybag decodes and encodes to itself`(_ bytes: [UInt8]) throws {
        let keybag = try Keybag.decode(bytes.span.bytes)
        #expect(keybag.encoded == bytes)
        #expect(keybag.accountID == KeybagVector.account)
        #expect(keybag.identity.name == ann)
        #expect(keybag.generation == 7)
        #expect(keybag.registrationTime == 1_700_000_000)
        #expect(keybag.keyID(.none) == keyID(.none))
    }

    @Test(arguments: [
        (KeybagVector.withPassphrase, "correct horse"), (KeybagVector.withoutPassphrase, nil),
        (KeybagVector.withRetiredKeys, nil), (KeybagVector.withSlots, "correct horse"),
        (KeybagVector.withSlots, words),
    ])
    func `another program's keybag opens and so do its files`(
        _ bytes: [UInt8], _ text: String?
    ) throws {
        let state = try TestState()
        try state.write("device-secret", KeybagVector.deviceSecret)
        _ = try state.start()
        for name in copies(of: KeybagVector.account) { try state.write(name, bytes) }
        let keyring = try state.start()
        #expect(keyring.accounts == [KeybagVector.account])
        try keyring.unlock(KeybagVector.account, passphrase: text.map { passphrase($0) })
        for (protectionClass, wrapped) in KeybagVector.wrapped {
            let isB = protectionClass == .completeUnlessOpen
            let bytes = KeybagVector.ephemeralKey
            let ephemeral = EphemeralKey(reading: bytes.span.bytes, at: 0)
            let file = WrappedFileKey(
                keyID: keyID(protectionClass), protectionClass: protectionClass,
                ephemeralKey: isB ? ephemeral : .zero, bytes: wrapped,
                associatedData: KeybagVector.associatedData)
            let key = try keyring.unwrap(file)
            key.withBytes { #expect(Array($0) == KeybagVector.fileKey) }
        }
    }

    @Test func `another program's retired keys are kept as they are`() throws {
        let bytes = KeybagVector.withRetiredKeys
        let keybag = try Keybag.decode(bytes.span.bytes)
        #expect(keybag.encoded == bytes)
        #expect(keybag.generation == 8 && keybag.accountID == KeybagVector.account)
        #expect(keybag.keyID(.complete) != keyID(.complete))
        #expect(keybag.keyID(.none) == keyID(.none))
    }

    @Test func `another program's slots are kept as they are`() throws {
        let bytes = KeybagVector.withSlots
        let keybag = try Keybag.decode(bytes.span.bytes)
        #expect(keybag.encoded == bytes)
        #expect(keybag.slots.map(\.kind) == [.passphrase, .recovery])
        #expect(keybag.slots.map(\.id.description) == ["01020304", "ffeeddcc"])
        #expect(keybag.slots.map(\.creationTime) == [1_700_000_000, 1_700_000_001])
    }

    private func keyID(_ protectionClass: ProtectionClass) -> KeyID {
        let byte = 0x50 + UInt64(protectionClass.rawValue - 1)
        let word = byte * 0x0101_0101_0101_0101
        return KeyID(Bytes16(high: word, low: word))
    }
}
