import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMSystem
import Testing

@testable import MAMKeyring

@Suite struct KeyExportTests {
    // MARK: Another program's

    @Test func `another program's export opens`() throws {
        let export = try KeyExport.decode(KeyExportVector.underPassphrase)
        #expect(export.accountID == KeybagVector.account)
        #expect(export.identity.name == ann)
        #expect(export.time == 1_700_000_000)
        try expectKeys(export.open(passphrase: passphrase("correct horse")))
        #expect(throws: KeyExportError.wrongPassphrase) {
            try export.open(passphrase: passphrase("correct house"))
        }
    }

    @Test func `another program's record opens with another program's recovery key`() throws {
        let record = try KeyExport.decode(KeyExportVector.toRecoveryKey)
        for (file, text) in [
            (KeyExportVector.plainKeyFile, nil), (KeyExportVector.sealedKeyFile, "correct horse"),
        ] {
            let pair = try RecoveryKeyFile.open(
                secret(file), passphrase: text.map { passphrase($0) })
            #expect(RecoveryPublicKey(pair.publicKey).text == KeyExportVector.publicKey)
            try expectKeys(record.open(recoveryKey: pair))
        }
        let stranger = try Curve25519.KeyPair.random()
        #expect(throws: KeyExportError.self) { try record.open(recoveryKey: stranger) }
        #expect(throws: KeyExportError.self) {
            try record.open(passphrase: passphrase("correct horse"))
        }
    }

    @Test func `another program's record with retired keys opens`() throws {
        let record = try KeyExport.decode(KeyExportVector.withRetiredKeys)
        let pair = try RecoveryKeyFile.open(
            secret(KeyExportVector.plainKeyFile), passphrase: nil)
        let opened = try record.open(recoveryKey: pair)
        #expect(opened.others.map(\.protectionClass) == RetiredKeys.classes)
        for (key, byte) in zip(opened.others, [UInt8]([0x11, 0x22, 0x33])) {
            key.secret.withBytes { #expect(Array($0) == [UInt8](repeating: byte, count: 32)) }
        }
        for (key, byte) in zip(opened.others, [UInt8]([0x50, 0x51, 0x52])) {
            let word = UInt64(byte) * 0x0101_0101_0101_0101
            #expect(key.id == KeyID(Bytes16(high: word, low: word)))
        }
    }

    private func expectKeys(_ opened: ExportedKeys) {
        for (protectionClass, byte) in zip(
            ProtectionClass.allCases.sorted { $0.rawValue < $1.rawValue },
            [UInt8]([0x11, 0x22, 0x33, 0x44]))
        {
            let expected = [UInt8](repeating: byte, count: 32)
            #expect(opened.keys[protectionClass].withBytes { Array($0) } == expected)
        }
    }

    // MARK: What is changed

    @Test(arguments: 0..<KeyExport.byteCount)
    func `no changed byte opens, with a right checksum neither`(_ offset: Int) throws {
        for good in [KeyExportVector.underPassphrase, KeyExportVector.toRecoveryKey] {
            var bad = good
            bad[offset] ^= 0x10
            #expect(throws: KeyExportError.self) { try KeyExport.decode(bad) }
            guard offset < 1020 else { continue }
            bad = withChecksum(bad)
            guard let export = try? KeyExport.decode(bad) else { continue }
            #expect(throws: KeyExportError.self) {
                if case .passphrase = export.lock {
                    _ = try export.open(passphrase: passphrase("correct horse"))
                } else {
                    let file = secret(KeyExportVector.plainKeyFile)
                    let pair = try RecoveryKeyFile.open(file, passphrase: nil)
                    _ = try export.open(recoveryKey: pair)
                }
            }
        }
    }

    @Test func `no changed byte of a record with retired keys opens`() throws {
        let file = secret(KeyExportVector.plainKeyFile)
        let pair = try RecoveryKeyFile.open(file, passphrase: nil)
        let good = KeyExportVector.withRetiredKeys
        for offset in 0..<good.count - 4 {
            var bad = good
            bad[offset] ^= 0x10
            #expect(throws: KeyExportError.self) { try KeyExport.decode(bad) }
            bad = withChecksum(bad, at: good.count - 4)
            guard let record = try? KeyExport.decode(bad) else { continue }
            #expect(throws: KeyExportError.self, "\(offset)") {
                _ = try record.open(recoveryKey: pair)
            }
        }
    }

    @Test(arguments: [(52, UInt8(4)), (60, 1)])
    func `an export that would keep the machine busy is not tried`(
        _ offset: Int, _ value: UInt8
    ) throws {
        var bad = KeyExportVector.underPassphrase
        bad[offset] = value
        #expect(throws: KeyExportError.tooCostly) { try KeyExport.decode(withChecksum(bad)) }
    }

    @Test func `other lengths are refused, and a newer version is told`() {
        let good = KeyExportVector.underPassphrase
        for length in [0, 7, 8, 9, 10, 1023] {
            #expect(throws: KeyExportError.self) { try KeyExport.decode(Array(good[..<length])) }
        }
        #expect(throws: KeyExportError.wrongLength) { try KeyExport.decode(good + [0]) }
        var newer = good
        newer[8] = 4
        #expect(throws: KeyExportError.newerVersion(4)) { try KeyExport.decode(newer) }
    }

    @Test(arguments: 0..<RecoveryKeyFile.byteCount)
    func `no changed byte of a recovery key passes`(_ offset: Int) {
        for (good, text) in [
            (KeyExportVector.plainKeyFile, nil), (KeyExportVector.sealedKeyFile, "correct horse"),
        ] {
            var bad = good
            bad[offset] ^= 0x20
            for bytes in [bad, offset < 156 ? withChecksum(bad, at: 156) : bad] {
                #expect(throws: RecoveryKeyFile.Failure.self) {
                    try RecoveryKeyFile.open(
                        secret(bytes), passphrase: text.map { passphrase($0) })
                }
            }
        }
    }

    private func withChecksum(_ bytes: [UInt8], at offset: Int = 1020) -> [UInt8] {
        var bytes = bytes
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(Checksum.crc32(raw.bytes, count: offset), at: offset)
        return bytes
    }

    // MARK: From one keyring to another

    @Test func `files of every class open in another keyring after a restart too`() throws {
        let (state, other) = try (TestState(), TestState())
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let keys = ProtectionClass.allCases.map { ($0, SecretBytes.random(count: 32)) }
        let files = try keys.map { try keyring.wrap($0.1, for: account, $0.0) }
        let export = try exported(keyring, account)
        let there = try other.start()
        try there.add(
            export, export.open(passphrase: passphrase("export")), uid: 7,
            passphrase: passphrase("theirs"))
        let again = try other.start()
        try again.unlock(account, "theirs")
        for found in [there, again] {
            #expect(found.accounts == [account])
            #expect(found.uid(of: account) == 7)
            for (file, (_, key)) in zip(files, keys) {
                #expect(try found.unwrap(file).equals(key))
            }
        }
    }

    private func exported(_ keyring: Keyring, _ account: AccountID) throws -> KeyExport {
        let cost = try #require(KeyDerivationCost(passes: 1, memoryByteCount: 8192))
        let export = try keyring.export(
            account, passphrase: passphrase("right"), under: passphrase("export"), cost: cost)
        return try KeyExport.decode(export.bytes)
    }

    /// Calls that can fail: write, sync, rename and sync of each copy of the keybag.
    @Test(arguments: 1...8, [1, Int.max])
    func `an import that is cut anywhere is not begun, or is whole at the next start`(
        _ nth: Int, _ times: Int
    ) throws {
        let (state, other) = try (TestState(), TestState())
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let file = try keyring.wrap(.random(count: 32), for: account, .complete)
        let export = try exported(keyring, account)
        let there = try other.start()
        let keys = try export.open(passphrase: passphrase("export"))
        var isDone = false
        try FaultPlan.run(.any, nth: nth, times: times) {
            let own = passphrase("theirs")
            isDone = (try? there.add(export, keys, uid: 7, passphrase: own)) != nil
        }
        let again = try other.start()
        if isDone { #expect(again.accounts == [account]) }
        guard again.accounts == [account] else {
            return try again.add(export, keys, uid: 7, passphrase: passphrase("theirs"))
        }
        try again.unlock(account, "theirs")
        _ = try again.unwrap(file)
    }

    @Test func `what is here, or was decided to go, is not imported over`() throws {
        let (state, other) = try (TestState(), TestState())
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let export = try exported(keyring, account)
        let keys = try export.open(passphrase: passphrase("export"))
        #expect(throws: KeyringError.accountExists(account)) {
            try keyring.add(export, keys, uid: 7, passphrase: nil)
        }
        let wipe = try keyring.wipes.decide(of: account)
        keyring.wipes.eraseKeys(of: wipe)
        #expect(throws: KeyringError.beingWiped(account)) {
            try keyring.add(export, keys, uid: 7, passphrase: nil)
        }
        let there = try other.start()
        let name = "wipes/\(account.bytes)"
        try other.write(name, [1, 2, 3])
        #expect(throws: KeyringError.leftOver(fileName: name)) {
            try there.add(export, keys, uid: 7, passphrase: nil)
        }
        other.remove(name)
        let copy = "keybags/\(account.bytes).keybag.copy"
        for (name, kind) in [(name, "W"), (copy, "K")] {
            try other.write(name, [0x89] + Array("MAM\(kind)\r\n".utf8) + [0x1A, 9, 0])
            let record = NewerRecord(fileName: name, version: 9)
            let found = #expect(throws: KeyringError.leftNewer(record)) {
                try there.add(export, keys, uid: 7, passphrase: nil)
            }
            #expect(found?.description.contains("install that mamd") == true)
            #expect(found?.description.contains("move") == false)
            other.remove(name)
        }
        try there.add(export, keys, uid: 7, passphrase: nil)
    }

    @Test func `a record is current until what it says of the account is not`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.register(
            Identity(name: ann), uid: 1000, passphrase: passphrase("right"))
        let key = RecoveryPublicKey(try Curve25519.KeyPair.random().publicKey)
        let record = try #require(try keyring.recovery.sealKeys(of: account, to: key))
        #expect(keyring.recovery.isCurrent(record, of: account))
        keyring.dropLockedKeys(account)
        #expect(try keyring.recovery.sealKeys(of: account, to: key) == nil)
        #expect(keyring.recovery.isCurrent(record, of: account))
        try keyring.changePassphrase(
            account, from: passphrase("right"), to: passphrase("another"))
        #expect(keyring.recovery.isCurrent(record, of: account))
        try keyring.link(account, objectID: "OID-1", passphrase: passphrase("another"))
        #expect(!keyring.recovery.isCurrent(record, of: account))
        let other = try TestState().start().registerAnn()
        #expect(!keyring.recovery.isCurrent(record, of: other))
    }

    @Test func `a public key's text is one spelling, and a slip is none`() {
        let text = KeyExportVector.publicKey
        #expect(RecoveryPublicKey(text: text)?.text == text)
        for offset in text.indices {
            var slip = text
            let other: Character = slip[offset] == "A" ? "B" : "A"
            slip.replaceSubrange(offset...offset, with: [other])
            #expect(RecoveryPublicKey(text: slip) == nil)
        }
        for slip in ["", text + "=", String(text.dropLast(4)), " " + text] {
            #expect(RecoveryPublicKey(text: slip) == nil)
        }
    }
}
