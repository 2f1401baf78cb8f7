import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

@Suite struct AccountTests {
    @Test func `an account is found by name, object id, user and key, in any case`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(keyring.accounts == [account])
        #expect(keyring.account(matching: try Identity(name: "ANN@Contoso.com")) == account)
        #expect(keyring.account(matching: try Identity(name: "", objectID: "oid-1")) == account)
        #expect(keyring.account(matching: .nobody) == nil)
        #expect(keyring.account(matching: try Identity(name: "bob")) == nil)
        #expect(keyring.uid(of: account) == 1000)
        #expect(keyring.identity(of: account).name == ann)
        #expect(keyring.identity(of: AccountID(.zero)).isNobody)
        for protectionClass in ProtectionClass.allCases {
            let wrapper = try keyring.wrapper(account: account, protectionClass: protectionClass)
            #expect(keyring.account(ofKey: wrapper.keyID) == account)
        }
        #expect(keyring.account(ofKey: .none) == nil)
    }

    @Test func `a restart finds the same accounts in the order of registration`() throws {
        let state = try TestState()
        let keyring = try state.start()
        var expected: [AccountID] = []
        for index in 0..<5 {
            expected.append(
                try keyring.register(
                    Identity(name: "user\(index)"), uid: 7, passphrase: nil))
            state.advance(1)
        }
        let again = try state.start()
        #expect(again.accounts == expected)
        #expect(again.accounts.allSatisfy { again.windowState(of: $0) == .beforeFirstUnlock })
        #expect(state.findings.isEmpty)
    }

    @Test func `what names nobody or is taken is refused`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        for (name, objectID) in [("ANN@contoso.com", ""), ("other", "oid-1"), (ann, "other")] {
            let identity = try Identity(name: name, objectID: objectID)
            #expect(throws: KeyringError.accountExists(account)) {
                try keyring.register(identity, uid: 1, passphrase: nil)
            }
        }
        // One text that means two accounts would give one's files to the other.
        for (name, objectID) in [("OID-1", ""), ("eve", ann), ("\(account.bytes)", "")] {
            let identity = try Identity(name: name, objectID: objectID)
            #expect(throws: KeyringError.accountExists(account)) {
                try keyring.register(identity, uid: 1, passphrase: nil)
            }
        }
        #expect(throws: KeyringError.nobody) {
            try keyring.register(.nobody, uid: 1, passphrase: nil)
        }
        #expect(throws: KeyringError.emptyPassphrase) {
            try keyring.register(
                Identity(name: "bob"), uid: 1, passphrase: SecretBytes(count: 0))
        }
        #expect(keyring.accounts == [account])
    }

    @Test func `an object id that means another account is refused`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let other = try keyring.register(Identity(name: "eve"), uid: 1, passphrase: nil)
        for objectID in ["OID-1", ann, "\(account.bytes)"] {
            #expect(throws: KeyringError.accountExists(account)) {
                try keyring.link(other, objectID: objectID, passphrase: nil)
            }
        }
        try keyring.link(other, objectID: "eves", passphrase: nil)
    }

    @Test func `an account without a passphrase is unlocked with nothing`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        let keyring = try state.start()
        #expect(!keyring.hasPassphrase(account))
        #expect(keyring.windowState(of: account) == .beforeFirstUnlock)
        #expect(throws: KeyringError.passphraseNotUsed) { try keyring.unlock(account, "x") }
        try keyring.unlock(account, passphrase: nil)
        #expect(keyring.windowState(of: account) == .unlocked)
    }

    @Test func `an account with a passphrase needs it`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(keyring.hasPassphrase(account))
        #expect(throws: KeyringError.passphraseRequired) {
            try keyring.unlock(account, passphrase: nil)
        }
        #expect(throws: KeyringError.unknownAccount(AccountID(.zero))) {
            try keyring.unlock(AccountID(.zero), passphrase: nil)
        }
    }

    @Test(arguments: [("right", "new"), ("right", nil), (nil, "new"), (nil, nil)])
    func `a change of passphrase keeps the files' keys`(_ old: String?, _ new: String?) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: old)
        let key = SecretBytes.random(count: 32)
        let files = try ProtectionClass.allCases.map { try keyring.wrap(key, for: account, $0) }
        try keyring.changePassphrase(
            account, from: old.map { passphrase($0) }, to: new.map { passphrase($0) })
        #expect(keyring.windowState(of: account) == .unlocked)
        for keyring in [keyring, try state.start()] {
            #expect(keyring.hasPassphrase(account) == (new != nil))
            if old != nil, new != nil {
                #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
                    try keyring.unlock(account, "right")
                }
                state.advance(1)
            }
            try keyring.unlock(account, passphrase: new.map { passphrase($0) })
            for file in files { #expect(try keyring.unwrap(file).equals(key)) }
        }
    }

    @Test func `a change with a wrong passphrase changes nothing and counts`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let before = try copies(of: account).map { try state.read($0) }
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.changePassphrase(
                account, from: passphrase("wrong"), to: passphrase("new"))
        }
        #expect(throws: KeyringError.retryLater(seconds: 1)) {
            try keyring.unlock(account, "right")
        }
        #expect(try copies(of: account).map { try state.read($0) } == before)
        state.advance(1)
        #expect(throws: KeyringError.emptyPassphrase) {
            try keyring.changePassphrase(
                account, from: passphrase("right"), to: SecretBytes(count: 0))
        }
        #expect(try copies(of: account).map { try state.read($0) } == before)
    }

    @Test func `a locked account's passphrase can be changed and it stays locked`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn()
        let keyring = try state.start()
        try keyring.changePassphrase(account, from: passphrase("right"), to: passphrase("new"))
        #expect(keyring.windowState(of: account) == .beforeFirstUnlock)
        #expect(throws: KeyringError.windowClosed(account)) {
            try keyring.wrapper(account: account, protectionClass: .complete)
        }
    }

    @Test func `dropping all keys is a state like after a start`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let key = SecretBytes.random(count: 32)
        let files = try ProtectionClass.allCases.map { try keyring.wrap(key, for: account, $0) }
        keyring.dropAllKeys()
        #expect(keyring.windowState(of: account) == .beforeFirstUnlock)
        for file in files.dropLast() {
            #expect(throws: KeyringError.windowClosed(account)) { try keyring.unwrap(file) }
        }
        #expect(try keyring.unwrap(files[3]).equals(key))
        try keyring.unlock(account, "right")
        for file in files { #expect(try keyring.unwrap(file).equals(key)) }
    }

    @Test func `the cost in the keybag counts and not the settings'`() throws {
        let state = try TestState()
        let account = try state.start(passes: 2, memoryByteCount: 64 << 10).registerAnn()
        let keyring = try state.start()
        try keyring.unlock(account, "right")
        #expect(keyring.windowState(of: account) == .unlocked)
    }
}
