import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import Testing

@Suite struct FileKeyTests {
    /// Which classes can be read and which can get new files, in each state.
    @Test(arguments: [
        (WindowState.beforeFirstUnlock, "D", "BD"), (.unlocked, "ABCD", "ABCD"),
        (.locked, "CD", "BCD"),
    ])
    func `the state decides which classes open and which take new files`(
        _ window: WindowState, _ opening: String, _ creating: String
    ) throws {
        let state = try TestState()
        let first = try state.start()
        let account = try first.registerAnn()
        let key = SecretBytes.random(count: 32)
        let files = try ProtectionClass.allCases.map { try first.wrap(key, for: account, $0) }
        let keyring = try state.start()
        if window != .beforeFirstUnlock { try keyring.unlock(account, "right") }
        if window == .locked { keyring.dropLockedKeys(account) }
        #expect(keyring.windowState(of: account) == window)
        for file in files {
            let letter = file.protectionClass.letter
            if opening.contains(letter) {
                #expect(try keyring.unwrap(file).equals(key))
            } else {
                #expect(throws: KeyringError.windowClosed(account)) { try keyring.unwrap(file) }
            }
            if creating.contains(letter) {
                _ = try keyring.wrap(key, for: account, file.protectionClass)
            } else {
                #expect(throws: KeyringError.windowClosed(account)) {
                    try keyring.wrap(key, for: account, file.protectionClass)
                }
            }
        }
    }

    @Test func `a file made while locked in class B opens after the unlock and not before`() throws
    {
        let state = try TestState()
        let account = try state.start().registerAnn()
        let keyring = try state.start()
        let key = SecretBytes.random(count: 32)
        let file = try keyring.wrap(key, for: account, .completeUnlessOpen)
        let other = try keyring.wrap(key, for: account, .completeUnlessOpen)
        #expect(file.ephemeralKey != .zero)
        #expect(file.ephemeralKey != other.ephemeralKey)
        #expect(throws: KeyringError.windowClosed(account)) { try keyring.unwrap(file) }
        try keyring.unlock(account, "right")
        #expect(try keyring.unwrap(file).equals(key))
        keyring.dropLockedKeys(account)
        #expect(throws: KeyringError.windowClosed(account)) { try keyring.unwrap(file) }
    }

    @Test(arguments: ProtectionClass.allCases)
    func `any change of what was wrapped is refused`(_ protectionClass: ProtectionClass) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let file = try keyring.wrap(.random(count: 32), for: account, protectionClass)
        for offset in file.bytes.indices {
            var changed = file
            changed.bytes[offset] ^= 1
            #expect(throws: KeyringError.notAuthentic) { try keyring.unwrap(changed) }
        }
        for offset in [0, 11, 640, 671] {
            var changed = file
            changed.associatedData[offset] ^= 0x80
            #expect(throws: KeyringError.notAuthentic) { try keyring.unwrap(changed) }
        }
        for other in ProtectionClass.allCases where other != protectionClass {
            var changed = file
            changed.protectionClass = other
            #expect(throws: KeyringError.notAuthentic) { try keyring.unwrap(changed) }
        }
        var changed = file
        changed.keyID = KeyID(SecureRandom.bytes16())
        #expect(throws: KeyringError.unknownKey(changed.keyID)) { try keyring.unwrap(changed) }
    }

    @Test func `a key of another class than the header's is damage in every state`() throws {
        let state = try TestState()
        let first = try state.start()
        let account = try first.registerAnn()
        var file = try first.wrap(.random(count: 32), for: account, .none)
        file.protectionClass = .complete
        let locked = try state.start()
        #expect(throws: KeyringError.notAuthentic) { try locked.unwrap(file) }
    }

    @Test func `ephemeral keys that lead nowhere are refused`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let file = try keyring.wrap(.random(count: 32), for: account, .completeUnlessOpen)
        for first in [Bytes16.zero, Bytes16(high: 1 << 56, low: 0), SecureRandom.bytes16()] {
            var changed = file
            changed.ephemeralKey = EphemeralKey(first: first, second: .zero)
            #expect(throws: KeyringError.notAuthentic) { try keyring.unwrap(changed) }
        }
    }

    @Test func `a wrapper that was taken before the lock refuses after it`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let wrapper = try keyring.wrapper(account: account, protectionClass: .complete)
        keyring.dropLockedKeys(account)
        var bytes = [UInt8](repeating: 0, count: 64)
        #expect(throws: SealError.failure) {
            try bytes.withUnsafeMutableBytes {
                try wrapper.wrap(
                    .random(count: 32), associatedData: .init(start: nil, count: 0), into: $0)
            }
        }
    }

    @Test func `keys are one account's only`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let one = try keyring.registerAnn()
        let two = try keyring.register(
            Identity(name: "bob@contoso.com"), uid: 1000, passphrase: passphrase("bob's"))
        let file = try keyring.wrap(.random(count: 32), for: one, .complete)
        var changed = file
        changed.keyID = try keyring.wrapper(account: two, protectionClass: .complete).keyID
        #expect(throws: KeyringError.notAuthentic) { try keyring.unwrap(changed) }
        keyring.dropLockedKeys(one)
        #expect(throws: KeyringError.windowClosed(one)) { try keyring.unwrap(file) }
        #expect(keyring.windowState(of: two) == .unlocked)
    }
}
