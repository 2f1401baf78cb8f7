import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMSystem
import Testing

@testable import MAMKeyring

/// An account of the same name on two machines, with keys of its own on each: an export of one
/// joins the other.
@Suite struct JoinTests {
    private let cheap = KeyDerivationCost(passes: 1, memoryByteCount: 8192)

    private struct Sealed {
        let key: SecretBytes
        let file: WrappedFileKey
    }

    private func sealed(_ keyring: Keyring, _ account: AccountID) throws -> [Sealed] {
        try ProtectionClass.allCases.map { protectionClass in
            let key = SecretBytes.random(count: 32)
            return Sealed(key: key, file: try keyring.wrap(key, for: account, protectionClass))
        }
    }

    private func expectOpen(_ files: [Sealed], in keyring: Keyring) throws {
        for sealed in files { #expect(try keyring.unwrap(sealed.file).equals(sealed.key)) }
    }

    private func isOpen(_ sealed: Sealed, in keyring: Keyring) -> Bool {
        (try? keyring.unwrap(sealed.file)) != nil
    }

    /// An export of ann's, and a file of each class, those of retired keys too.
    private func exported(
        retiring: Int = 0
    ) throws -> (export: KeyExport, keys: ExportedKeys, files: [Sealed]) {
        let keyring = try TestState().start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        for _ in 0..<retiring {
            try keyring.changePassphrase(account, from: nil, to: passphrase("theirs"))
            files += try sealed(keyring, account)
            try keyring.changePassphrase(account, from: passphrase("theirs"), to: nil)
        }
        let export = try keyring.export(
            account, passphrase: nil, under: passphrase("export"), cost: try #require(cheap))
        let read = try KeyExport.decode(export.bytes)
        return (read, try read.open(passphrase: passphrase("export")), files)
    }

    @Test func `what opened before opens still, and what the export opens too`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let own = try sealed(keyring, account)
        let (export, keys, theirs) = try exported(retiring: 2)
        try keyring.join(export, keys, to: account, passphrase: passphrase("right"))
        try expectOpen(own + theirs, in: keyring)
        for sealed in theirs {
            #expect(keyring.holder(ofKey: sealed.file.keyID)?.isRetired == true)
        }
        let again = try state.start()
        try again.unlock(account, "right")
        try expectOpen(own + theirs, in: again)
        try again.changePassphrase(account, from: passphrase("right"), to: nil)
        try again.changePassphrase(account, from: nil, to: passphrase("new"))
        let third = try state.start()
        try third.unlock(account, "new")
        try expectOpen(own + theirs, in: third)
        #expect(state.findings.isEmpty)
    }

    @Test func `an export has all keys of an account until that gets others`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        func export(_ text: String?) throws -> KeyExport {
            try keyring.export(
                account, passphrase: text.map { passphrase($0) }, under: passphrase("export"),
                cost: try #require(cheap))
        }
        let first = try export(nil)
        #expect(keyring.recovery.holdsAllKeys(first, of: account))
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        #expect(!keyring.recovery.holdsAllKeys(first, of: account))
        let second = try export("right")
        let (theirs, keys, _) = try exported()
        #expect(!keyring.recovery.holdsAllKeys(theirs, of: account))
        try keyring.join(theirs, keys, to: account, passphrase: passphrase("right"))
        #expect(!keyring.recovery.holdsAllKeys(second, of: account))
        let third = try export("right")
        try keyring.changePassphrase(
            account, from: passphrase("right"), to: passphrase("another"))
        keyring.dropAllKeys()
        #expect(try state.start().recovery.holdsAllKeys(third, of: account))
        #expect(keyring.recovery.holdsAllKeys(third, of: account))
        let forged = KeyExport(
            accountID: theirs.accountID, identity: third.identity, time: third.time,
            lock: third.lock, publicKeyB: third.publicKeyB, keyIDs: third.keyIDs,
            others: third.others, bytes: third.bytes)
        #expect(!keyring.recovery.holdsAllKeys(forged, of: account))
    }

    @Test func `a locked account stays so, and class D opens`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        keyring.dropAllKeys()
        let (export, keys, theirs) = try exported()
        try keyring.join(export, keys, to: account, passphrase: passphrase("right"))
        for keyring in [keyring, try state.start()] {
            for sealed in theirs {
                #expect(isOpen(sealed, in: keyring) == (sealed.file.protectionClass == .none))
            }
        }
        try keyring.unlock(account, "right")
        try expectOpen(theirs, in: keyring)
        keyring.dropLockedKeys(account)
        for sealed in theirs {
            let isClosed = [.complete, .completeUnlessOpen].contains(sealed.file.protectionClass)
            #expect(isOpen(sealed, in: keyring) != isClosed)
        }
    }

    @Test func `without the account's passphrase nothing is changed`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let before = try copies(of: account).map { try state.read($0) }
        let (export, keys, _) = try exported()
        #expect(throws: KeyringError.passphraseRequired) {
            try keyring.join(export, keys, to: account, passphrase: nil)
        }
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.join(export, keys, to: account, passphrase: passphrase("wrong"))
        }
        #expect(try copies(of: account).map { try state.read($0) } == before)
    }

    @Test func `an export and a recovery record take joined keys along, and a wipe covers them`()
        throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let own = try sealed(keyring, account)
        let (export, keys, theirs) = try exported(retiring: 1)
        try keyring.join(export, keys, to: account, passphrase: passphrase("right"))
        let pair = try Curve25519.KeyPair.random()
        let record = try #require(
            try keyring.recovery.sealKeys(of: account, to: RecoveryPublicKey(pair.publicKey)))
        #expect(keyring.recovery.isCurrent(record, of: account))
        let other = try TestState()
        let there = try other.start()
        let read = try KeyExport.decode(record.bytes)
        try there.add(
            read, try read.open(recoveryKey: pair), uid: 7, passphrase: passphrase("there"))
        try expectOpen(own + theirs, in: there)
        let again = try other.start()
        try again.unlock(account, "there")
        try expectOpen(own + theirs, in: again)
        let wipe = try again.wipes.decide(of: account)
        let restarted = try other.start()
        for sealed in own + theirs {
            #expect(wipe.covers(sealed.file.keyID))
            #expect(restarted.wipes.first(ofKey: sealed.file.keyID) != nil)
        }
    }

    @Test func `newer keys of the account itself join it, and none of them twice`() throws {
        let (state, other) = try (TestState(), TestState())
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        func export() throws -> (KeyExport, ExportedKeys) {
            let text = keyring.hasPassphrase(account) ? passphrase("right") : nil
            let made = try keyring.export(
                account, passphrase: text, under: passphrase("export"), cost: try #require(cheap))
            return (made, try made.open(passphrase: passphrase("export")))
        }
        let there = try other.start()
        let (old, oldKeys) = try export()
        try there.add(old, oldKeys, uid: 7, passphrase: passphrase("there"))
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        let files = try sealed(keyring, account)
        let (new, newKeys) = try export()
        try there.join(new, newKeys, to: account, passphrase: passphrase("there"))
        try expectOpen(files, in: there)
        #expect(throws: KeyringError.self) {
            try there.join(new, newKeys, to: account, passphrase: passphrase("there"))
        }
    }

    @Test func `an account takes as many sets as leave room for a first passphrase`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        for _ in 0..<31 {
            let (export, keys, _) = try exported()
            try keyring.join(export, keys, to: account, passphrase: nil)
        }
        let before = try state.read(copies(of: account)[0])
        let (export, keys, _) = try exported()
        expectRefusal("import the export into a workspace of its own") {
            try keyring.join(export, keys, to: account, passphrase: nil)
        }
        #expect(try state.read(copies(of: account)[0]) == before)
        let own = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        #expect(keyring.hasPassphrase(account))
        expectRefusal("give it a passphrase") {
            try keyring.changePassphrase(account, from: passphrase("right"), to: nil)
        }
        try keyring.changePassphrase(account, from: passphrase("right"), to: passphrase("new"))
        expectRefusal("import the export into a workspace of its own") {
            try keyring.join(export, keys, to: account, passphrase: passphrase("new"))
        }
        let again = try state.start()
        try again.unlock(account, "new")
        try expectOpen(own, in: again)
    }

    @Test func `an import with as many sets as a keybag holds takes a passphrase`() throws {
        let keyring = try TestState().start()
        let account = try keyring.registerAnn(passphrase: nil)
        for index in 0..<32 {
            try keyring.changePassphrase(account, from: nil, to: passphrase("\(index)"))
            if index == 31 { break }
            try keyring.changePassphrase(account, from: passphrase("\(index)"), to: nil)
        }
        let export = try keyring.export(
            account, passphrase: passphrase("31"), under: passphrase("export"),
            cost: try #require(cheap))
        let keys = try export.open(passphrase: passphrase("export"))
        let there = try TestState().start()
        expectRefusal("give it a passphrase") {
            try there.add(export, keys, uid: 7, passphrase: nil)
        }
        #expect(there.accounts.isEmpty)
        try there.add(export, keys, uid: 7, passphrase: passphrase("there"))
    }

    private func expectRefusal(_ advice: String, _ body: () throws -> Void) {
        do {
            try body()
            Issue.record("it was not refused")
        } catch KeyringError.refused(let reason, _, _) {
            #expect(reason.english.contains(advice))
        } catch { Issue.record(error) }
    }

    @Test func `another account's export does not join`() throws {
        let keyring = try TestState().start()
        let account = try keyring.register(
            Identity(name: "bob@contoso.com"), uid: 1000, passphrase: nil)
        let (export, keys, _) = try exported()
        #expect(throws: KeyringError.self) {
            try keyring.join(export, keys, to: account, passphrase: nil)
        }
        let ann = try keyring.register(
            Identity(name: ann, objectID: "OID-2"), uid: 1000, passphrase: nil)
        #expect(throws: KeyringError.self) {
            try keyring.join(export, keys, to: ann, passphrase: nil)
        }
    }

    @Test func `no changed byte of what joined is taken`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let (export, keys, _) = try exported()
        try keyring.join(export, keys, to: account, passphrase: nil)
        let good = try state.read(copies(of: account)[0])
        #expect(good.count == 1024 + 272 + 80 && good[8] == 3 && good[11] == 1 && good[1008] == 1)
        for offset in [8, 11, 1008] + (1020..<good.count - 4) {
            var bad = good
            bad[offset] ^= 3
            let sum = Checksum.crc32(bad.span.bytes, count: bad.count - 4)
            for index in 0..<4 {
                bad[bad.count - 4 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index))
            }
            for name in copies(of: account) { try state.write(name, bad) }
            #expect(try state.start().accounts.isEmpty, "\(offset)")
        }
    }

    /// Where a change may not survive a crash it is undone, and the passphrase stays.
    @Test func `a keybag that is not durable is put back`() throws {
        for nth in 1...4 {
            let state = try TestState()
            let keyring = try state.start()
            let account = try keyring.registerAnn()
            let own = try sealed(keyring, account)
            let (export, keys, theirs) = try exported()
            let isJoined =
                (try? FaultPlan.run(.sync, nth: nth, times: 8) {
                    try keyring.join(export, keys, to: account, passphrase: passphrase("right"))
                }) != nil
            let again = try state.start()
            #expect(throws: KeyringError.passphraseRequired) {
                try again.unlock(account, passphrase: nil)
            }
            try again.unlock(account, "right")
            try expectOpen(own, in: again)
            if isJoined { try expectOpen(theirs, in: again) }
        }
    }
}
