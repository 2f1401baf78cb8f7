import Glibc
import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

/// An account that had no passphrase and gets one: what opened its files before must not open what
/// is written from then on.
@Suite(.serialized) struct RetiredKeyTests {
    private let classes: [ProtectionClass] = [
        .complete, .completeUnlessOpen, .completeUntilFirstUserAuthentication,
    ]

    private struct Sealed {
        let key = SecretBytes.random(count: 32)
        let file: WrappedFileKey

        init(_ keyring: Keyring, _ account: AccountID, _ protectionClass: ProtectionClass) throws {
            file = try keyring.wrap(key, for: account, protectionClass)
        }
    }

    private func sealed(_ keyring: Keyring, _ account: AccountID) throws -> [Sealed] {
        try ProtectionClass.allCases.map { try Sealed(keyring, account, $0) }
    }

    private func expectOpen(_ files: [Sealed], in keyring: Keyring) throws {
        for sealed in files { #expect(try keyring.unwrap(sealed.file).equals(sealed.key)) }
    }

    @Test func `a passphrase brings new keys, and the old ones open what they have sealed`() throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let old = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        let new = try sealed(keyring, account)
        for (one, other) in zip(old, new) {
            let isD = one.file.protectionClass == .none
            #expect((one.file.keyID == other.file.keyID) == isD)
            #expect(keyring.holder(ofKey: one.file.keyID)?.isRetired == !isD)
            #expect(keyring.holder(ofKey: other.file.keyID)?.isRetired == false)
        }
        try expectOpen(old + new, in: keyring)
        let again = try state.start()
        for sealed in (old + new).filter({ $0.file.protectionClass != .none }) {
            #expect(throws: KeyringError.windowClosed(account)) { try again.unwrap(sealed.file) }
        }
        try again.unlock(account, "right")
        try expectOpen(old + new, in: again)
        #expect(state.findings.isEmpty)
    }

    @Test func `the old keybag opens nothing that is sealed afterwards but class D`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let before = try state.read(copies(of: account)[0])
        let old = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        let after = try state.read(copies(of: account)[0])
        let new = try sealed(keyring, account)
        for name in copies(of: account) { try state.write(name, before) }
        let attacked = try state.start()
        try attacked.unlock(account, passphrase: nil)
        for sealed in new where sealed.file.protectionClass != .none {
            let unknown = KeyringError.unknownKey(sealed.file.keyID)
            #expect(throws: unknown) { try attacked.unwrap(sealed.file) }
        }
        try expectOpen(old, in: attacked)
        for name in copies(of: account) { try state.write(name, after) }
        let again = try state.start()
        try again.unlock(account, "right")
        try expectOpen(old + new, in: again)
    }

    @Test func `other changes keep the keys`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let old = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: passphrase("right"), to: passphrase("new"))
        try keyring.link(account, objectID: "OID-1", passphrase: passphrase("new"))
        try keyring.changePassphrase(account, from: passphrase("new"), to: nil)
        for (sealed, protectionClass) in zip(old, ProtectionClass.allCases) {
            let wrapper = try keyring.wrapper(account: account, protectionClass: protectionClass)
            #expect(wrapper.keyID == sealed.file.keyID)
        }
        #expect(try state.read(copies(of: account)[0]).count == Keybag.byteCount)
    }

    @Test func `keys of several generations open, and there is an end to them`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        for index in 0..<32 {
            try keyring.changePassphrase(account, from: nil, to: passphrase("\(index)"))
            files += try sealed(keyring, account)
            if index == 31 { break }
            try keyring.changePassphrase(account, from: passphrase("\(index)"), to: nil)
        }
        #expect(throws: KeyringError.self) {
            try keyring.changePassphrase(account, from: passphrase("31"), to: nil)
        }
        #expect(try state.read(copies(of: account)[0]).count == 1024 + 32 * 272 + 192)
        let again = try state.start()
        try again.unlock(account, "31")
        try expectOpen(files, in: again)
    }

    @Test func `a lock takes the retired keys of its classes`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let files = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        keyring.dropLockedKeys(account)
        for sealed in files {
            let isClosed = [.complete, .completeUnlessOpen].contains(sealed.file.protectionClass)
            #expect(((try? keyring.unwrap(sealed.file)) == nil) == isClosed)
        }
        keyring.dropAllKeys()
        for sealed in files {
            let isOpen = sealed.file.protectionClass == .none
            #expect(((try? keyring.unwrap(sealed.file)) != nil) == isOpen)
        }
        try keyring.unlock(account, "right")
        try expectOpen(files, in: keyring)
    }

    @Test func `a locked account gets new keys as well, and they are not at hand`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let files = try sealed(keyring, account)
        keyring.dropAllKeys()
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        #expect(keyring.windowState(of: account) == .beforeFirstUnlock)
        #expect(throws: KeyringError.windowClosed(account)) {
            try keyring.wrapper(account: account, protectionClass: .complete)
        }
        try keyring.unlock(account, "right")
        try expectOpen(files + sealed(keyring, account), in: keyring)
    }

    @Test func `an unlock that began without a passphrase does not bring the old keys back`() throws
    {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let keys = try keyring.openKeys(of: account, passphrase: nil)
        keyring.dropAllKeys()
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        #expect(throws: KeyringError.passphraseRequired) {
            try keyring.setUnlocked(account, keys: keys)
        }
        #expect(keyring.windowState(of: account) == .beforeFirstUnlock)
    }

    /// Every call of the two replacements fails in turn: write, sync, rename, sync of the
    /// directory; then write, sync and removal of what was there.
    @Test(arguments: 1...15, [1, 2, Int.max])
    func `a first passphrase that is interrupted loses no file`(_ nth: Int, _ times: Int) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        var isRefused = false
        try FaultPlan.run(.any, nth: nth, times: times) {
            do { try keyring.changePassphrase(account, from: nil, to: passphrase("right")) } catch {
                isRefused = true
            }
        }
        // The fourth is the sync of the first copy's directory: if the second cannot be written
        // either it is taken back.
        #expect(isRefused == (nth <= 3 || nth == 4 && times > 1))
        files += try sealed(keyring, account)
        let again = try state.start()
        let needsIt = again.hasPassphrase(account)
        if !isRefused { #expect(needsIt) }
        try again.unlock(account, passphrase: needsIt ? passphrase("right") : nil)
        try expectOpen(files, in: again)
        try expectOpen(files, in: keyring)
        let both = try copies(of: account).map { try state.read($0) }
        #expect(both[0] == both[1])
        #expect(try state.names(in: "keybags").count == 2)
    }

    /// The first try leaves its keybag in one copy, and it cannot be undone. What the next one
    /// writes counts before it, whichever copy a crash keeps.
    @Test(arguments: 1...4)
    func `what a failed change has left gives way to the next one`(_ nth: Int) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        try FaultPlan.run(.any, nth: 4) {
            #expect(throws: KeyringError.self) {
                try keyring.changePassphrase(account, from: nil, to: passphrase("first"))
            }
        }
        let left = try state.read(copies(of: account)[0])
        try FaultPlan.run(.sync, nth: nth, times: 1) {
            try? keyring.changePassphrase(account, from: nil, to: passphrase("second"))
        }
        let files = try sealed(keyring, account)
        let isSet = keyring.hasPassphrase(account)
        try state.write(copies(of: account)[0], left)
        let again = try state.start()
        guard isSet else { return }
        try again.unlock(account, "second")
        try expectOpen(files, in: again)
    }

    /// It may have the keybag's name again after a crash.
    @Test func `what was replaced is not overwritten before the directory is synced`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let name = copies(of: account)[0]
        let before = try state.read(name)
        link("\(state.path)/\(name)", "\(state.path)/kept")
        // The first copy is written, synced and exchanged. From then on no sync succeeds.
        try FaultPlan.run(.sync, nth: 2) {
            try? keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        }
        #expect(try state.read("kept") == before)
    }

    /// As a crash leaves them that comes between the two copies.
    @Test func `a copy of the old keybag is brought up to date by the new one`() throws {
        for old in [0, 1] {
            let state = try TestState()
            let keyring = try state.start()
            let account = try keyring.registerAnn(passphrase: nil)
            let before = try state.read(copies(of: account)[0])
            let files = try sealed(keyring, account)
            try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
            try state.write(copies(of: account)[old], before)
            let again = try state.start()
            #expect(again.hasPassphrase(account))
            try again.unlock(account, "right")
            try expectOpen(files + sealed(keyring, account), in: again)
            #expect(try state.read(copies(of: account)[old]) != before)
        }
    }

    @Test(arguments: [0, 1])
    func `every changed byte of a copy with retired keys is repaired`(_ damaged: Int) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        let names = copies(of: account)
        let good = try state.read(names[0])
        #expect(good.count == 1488)
        for offset in good.indices {
            var bytes = good
            bytes[offset] ^= 0x41
            try state.write(names[damaged], bytes)
            #expect(try state.start().accounts == [account])
            #expect(try names.allSatisfy { try state.read($0) == good }, "\(offset)")
        }
    }

    @Test(arguments: [1008, 1009, 1020, 1060, 1068, 1110, 1200, 1291])
    func `forged retired keys with a right checksum are foreign`(_ offset: Int) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        var bytes = try state.read(copies(of: account)[0])
        bytes[offset] ^= 1
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(Checksum.crc32(raw.bytes, count: 1292), at: 1292)
        for name in copies(of: account) { try state.write(name, bytes) }
        let again = try state.start()
        #expect(again.accounts.isEmpty && again.unreadableKeybags.count == 1)
    }

    @Test func `a replaced keybag is overwritten`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let before = try state.read(copies(of: account)[0])
        // A second name of the same bytes on disk.
        for (index, name) in copies(of: account).enumerated() {
            link("\(state.path)/\(name)", "\(state.path)/kept-\(index)")
        }
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        for index in 0...1 {
            let after = try state.read("kept-\(index)")
            #expect(after.count == before.count && zip(before, after).count { $0 == $1 } < 100)
        }
        #expect(try state.names(in: "keybags").count == 2)
    }

    @Test func `what a crash left of a replaced keybag is overwritten at the next start`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let before = try state.read(copies(of: account)[0])
        // Exchanged, and it is not known whether for good: the old content stays under the other
        // name.
        try FaultPlan.run(.sync, nth: 2, times: 1) {
            try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        }
        let left = try state.names(in: "keybags").filter { $0.hasSuffix(".new") }
        #expect(left.count == 1)
        link("\(state.path)/keybags/\(try #require(left.first))", "\(state.path)/kept")
        #expect(try state.read("kept") == before)
        _ = try state.start()
        #expect(zip(try state.read("kept"), before).count { $0 == $1 } < 100)
        #expect(try state.names(in: "keybags").count == 2)
    }

    // MARK: Exports and wipes

    @Test func `an export takes the retired keys along`() throws {
        let (state, other) = try (TestState(), TestState())
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        files += try sealed(keyring, account)
        let export = try keyring.export(
            account, passphrase: passphrase("right"), under: passphrase("export"),
            cost: try #require(KeyDerivationCost(passes: 1, memoryByteCount: 8192)))
        let there = try other.start()
        let opened = try KeyExport.decode(export.bytes).open(passphrase: passphrase("export"))
        try there.add(export, opened, uid: 7, passphrase: passphrase("theirs"))
        try expectOpen(files, in: there)
        let again = try other.start()
        try again.unlock(account, "theirs")
        try expectOpen(files, in: again)
    }

    @Test func `a recovery record of newer keys is known to an old keybag`() throws {
        let state = try TestState()
        let pair = try Curve25519.KeyPair.random()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        let before = try state.read(copies(of: account)[0])
        let recoveryKey = RecoveryPublicKey(pair.publicKey)
        let old = try #require(try keyring.recovery.sealKeys(of: account, to: recoveryKey))
        #expect(
            keyring.recovery.isCurrent(old, of: account)
                && !keyring.recovery.holdsMoreKeys(old, of: account))
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        #expect(
            !keyring.recovery.isCurrent(old, of: account)
                && !keyring.recovery.holdsMoreKeys(old, of: account))
        let new = try #require(try keyring.recovery.sealKeys(of: account, to: recoveryKey))
        #expect(
            keyring.recovery.isCurrent(new, of: account)
                && !keyring.recovery.holdsMoreKeys(new, of: account))
        for name in copies(of: account) { try state.write(name, before) }
        let attacked = try state.start()
        #expect(
            attacked.recovery.holdsMoreKeys(new, of: account)
                && !attacked.recovery.isCurrent(new, of: account))
        // Going on from there gives the old keybag other keys, and not those of the record.
        try attacked.changePassphrase(account, from: nil, to: passphrase("another"))
        #expect(
            attacked.recovery.holdsMoreKeys(new, of: account)
                && !attacked.recovery.isCurrent(new, of: account))
    }

    @Test func `a wipe covers files of retired keys, after a restart too`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        var files = try sealed(keyring, account)
        try keyring.changePassphrase(account, from: nil, to: passphrase("right"))
        files += try sealed(keyring, account)
        let wipe = try keyring.wipes.decide(of: account)
        #expect(files.allSatisfy { wipe.covers($0.file.keyID) })
        #expect(!wipe.covers(KeyID(SecureRandom.bytes16())) && !wipe.covers(.none))
        keyring.wipes.eraseKeys(of: wipe)
        for sealed in files { #expect((try? keyring.unwrap(sealed.file)) == nil) }
        let again = try state.start()
        #expect(again.wipes.all.count == 1 && again.accounts.isEmpty)
        #expect(files.allSatisfy { again.wipes.first(ofKey: $0.file.keyID) != nil })
    }
}
