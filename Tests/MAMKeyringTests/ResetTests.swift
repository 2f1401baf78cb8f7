import MAMCrypto
import MAMModel
import MAMSystem
import Testing

@testable import MAMKeyring

/// A forgotten passphrase, which an export of the account's keys replaces.
@Suite(.serialized) struct ResetTests {
    private let cheap = KeyDerivationCost(passes: 1, memoryByteCount: 8192)

    private func export(
        _ keyring: Keyring, _ account: AccountID, _ text: String? = "right"
    ) throws -> (export: KeyExport, keys: ExportedKeys) {
        let made = try keyring.export(
            account, passphrase: text.map { passphrase($0) }, under: passphrase("export"),
            cost: try #require(cheap))
        return (made, try made.open(passphrase: passphrase("export")))
    }

    /// The words of the refusal.
    private func refusal(_ body: () throws(KeyringError) -> Void) -> String {
        do throws(KeyringError) { try body() } catch { return "\(error)" }
        return "done"
    }

    private func sealed(
        _ keyring: Keyring, _ account: AccountID
    ) throws -> [(key: SecretBytes, file: WrappedFileKey)] {
        try ProtectionClass.allCases.map {
            let key = SecretBytes.random(count: 32)
            return (key, try keyring.wrap(key, for: account, $0))
        }
    }

    @Test func `the new one opens all, the old one nothing, and windows stay as they are`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        files += try sealed(keyring, account)
        let (export, keys) = try export(keyring, account)
        let again = try state.start()
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try again.unlock(account, "wrong")
        }
        // The delay after wrong passphrases does not hold up a caller who has the keys.
        try again.resetPassphrase(account, with: export, keys, to: passphrase("new"))
        #expect(again.failureCount(account) == 0)
        #expect(again.retryAfterSeconds(account) == 0)
        #expect(throws: KeyringError.windowClosed(account)) { try again.unwrap(files[0].file) }
        for keyring in [again, try state.start()] {
            #expect(throws: KeyringError.self) { try keyring.unlock(account, "right") }
            state.advance(10)
            try keyring.unlock(account, "new")
            for (key, file) in files { #expect(try keyring.unwrap(file).equals(key)) }
        }
        #expect(state.findings.isEmpty)
    }

    @Test func `a wipe that comes first is what a reset tells, whatever it fails by`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let (export, keys) = try export(keyring, account)
        let wipe = try keyring.wipes.decide(of: account)
        keyring.wipes.eraseKeys(of: wipe)
        for new in ["new", nil] {
            #expect(throws: KeyringError.beingWiped(account)) {
                try keyring.resetPassphrase(
                    account, with: export, keys, to: new.map { passphrase($0) })
            }
        }
    }

    @Test func `an export with other keys changes nothing, nor the count of wrong ones`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let older = try export(keyring, account, nil)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        let own = try export(keyring, account)
        let bob = try keyring.register(
            Identity(name: "bob@contoso.com"), uid: 1000, passphrase: passphrase("right"))
        let foreign = try export(keyring, bob)
        let mixed = (export: own.export, keys: ExportedKeys(keys: foreign.keys.keys, others: []))
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.unlock(account, "wrong")
        }
        let before = try copies(of: account).map { try state.read($0) }
        for keyring in [keyring, try state.start()] {
            for (source, reason) in [
                (foreign, "the keys of bob@contoso.com"), (older, "is older than the keys"),
                (mixed, "the export was forged"),
            ] {
                let said = refusal { () throws(KeyringError) in
                    try keyring.resetPassphrase(
                        account, with: source.0, source.1, to: passphrase("new"))
                }
                #expect(said.contains(reason), "\(said)")
            }
            #expect(keyring.failureCount(account) == 1)
        }
        #expect(try copies(of: account).map { try state.read($0) } == before)
    }

    @Test func `one that is older than joined keys opens those too`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let own = try export(keyring, account)
        let there = try TestState().start()
        let other = try there.registerAnn()
        let files = try sealed(there, other)
        let joined = try export(there, other)
        try keyring.join(joined.export, joined.keys, to: account, passphrase: passphrase("right"))
        let again = try state.start()
        try again.resetPassphrase(account, with: own.export, own.keys, to: passphrase("new"))
        try again.unlock(account, "new")
        for (key, file) in files { #expect(try again.unwrap(file).equals(key)) }
    }

    @Test func `without a passphrase there is none to forget, and a recent one is refused`() throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let older = try export(keyring, account, nil)
        func refused(_ source: (export: KeyExport, keys: ExportedKeys), _ text: String) -> String {
            refusal { () throws(KeyringError) in
                try keyring.resetPassphrase(
                    account, with: source.export, source.keys, to: passphrase(text),
                    previousBlockCount: 2)
            }
        }
        #expect(refused(older, "new").contains("has no passphrase"))
        try keyring.changePassphrase(account, from: nil, to: passphrase("first"))
        try keyring.changePassphrase(
            account, from: passphrase("first"), to: passphrase("right"), previousBlockCount: 2)
        let own = try export(keyring, account)
        for text in ["first", "right"] {
            #expect(refused(own, text).contains("previousPinBlockCount"))
        }
        #expect(keyring.failureCount(account) == 0)
        #expect(refused(own, "new") == "done")
        // What an export set it remembers, too.
        #expect(refused(own, "newer") == "done")
        #expect(refused(own, "new").contains("previousPinBlockCount"))
    }

    @Test(arguments: 1...10, [1, Int.max])
    func `one that is interrupted leaves the old passphrase or the new one`(
        _ nth: Int, _ times: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let files = try sealed(keyring, account)
        let (export, keys) = try export(keyring, account)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.unlock(account, "wrong")
        }
        state.advance(10)
        var isDone = false
        try FaultPlan.run(.any, nth: nth, times: times) {
            isDone =
                (try? keyring.resetPassphrase(account, with: export, keys, to: passphrase("new")))
                != nil
        }
        #expect(keyring.failureCount(account) == (isDone ? 0 : 1))
        for keyring in [keyring, try state.start()] {
            try keyring.unlock(account, isDone ? "new" : "right")
            for (key, file) in files { #expect(try keyring.unwrap(file).equals(key)) }
        }
    }
}
