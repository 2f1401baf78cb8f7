import Glibc
import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

@Suite(.serialized) struct KeybagStoreTests {
    @Test(arguments: [0, 1])
    func `every changed byte of one copy is repaired from the other`(_ damaged: Int) throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        let names = copies(of: account)
        let good = try state.read(names[0])
        for offset in good.indices {
            var bytes = good
            bytes[offset] ^= 0x41
            try state.write(names[damaged], bytes)
            state.forgetFindings()
            let keyring = try state.start()
            #expect(keyring.accounts == [account])
            #expect(try names.allSatisfy { try state.read($0) == good })
            #expect(state.findings.count == 1)
            guard case .repaired(let name, _) = state.findings.first else {
                Issue.record("\(state.findings)")
                return
            }
            #expect("keybags/\(name)" == names[damaged])
        }
        try state.start().unlock(account, passphrase: nil)
    }

    @Test func `one copy cut or missing is repaired from the other`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        let names = copies(of: account)
        let good = try state.read(names[0])
        for name in names {
            for count in stride(from: 0, through: 1023, by: 31) {
                try state.write(name, Array(good[..<count]))
                #expect(try state.start().accounts == [account])
                #expect(try state.read(name) == good)
            }
            state.remove(name)
            state.forgetFindings()
            #expect(try state.start().accounts == [account])
            #expect(try state.read(name) == good)
            let file = String(name.dropFirst("keybags/".count))
            #expect(state.findings == [.repaired(fileName: file, .missing)])
        }
    }

    @Test func `with both copies damaged the account is listed and others work`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let broken = try keyring.registerAnn()
        let other = try keyring.register(Identity(name: "bob"), uid: 1, passphrase: nil)
        var damaged = try state.read(copies(of: broken)[0])
        damaged[700] ^= 1
        for name in copies(of: broken) { try state.write(name, damaged) }
        state.forgetFindings()
        let again = try state.start()
        #expect(again.accounts == [other])
        #expect(again.unreadableKeybags.map(\.fileName) == ["\(broken.bytes).keybag"])
        #expect(again.unreadableKeybags.first?.error == .checksum)
        #expect(
            state.findings == [.unreadable(fileName: "\(broken.bytes).keybag", .checksum)])
        try again.unlock(other, passphrase: nil)
        #expect(try copies(of: broken).allSatisfy { try state.read($0) == damaged })
    }

    @Test func `another device's keybags are foreign and left alone`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        let before = try copies(of: account).map { try state.read($0) }
        try state.write("device-secret", [UInt8](repeating: 9, count: 32))
        let keyring = try state.start()
        #expect(keyring.accounts.isEmpty)
        #expect(keyring.unreadableKeybags.map(\.error) == [.foreign])
        #expect(try copies(of: account).map { try state.read($0) } == before)
    }

    @Test(arguments: [12, 40, 64, 656, 690, 950])
    func `a forged field with a right checksum is foreign`(_ offset: Int) throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        var bytes = try state.read(copies(of: account)[0])
        bytes[offset] ^= 1
        sign(&bytes)
        for name in copies(of: account) { try state.write(name, bytes) }
        #expect(try state.start().unreadableKeybags.map(\.error) == [.foreign])
    }

    @Test(arguments: [760, 830, 900])
    func `one forged class key is damage and not a wrong passphrase`(_ offset: Int) throws {
        let state = try TestState()
        let account = try state.start().registerAnn()
        var bytes = try state.read(copies(of: account)[0])
        bytes[offset] ^= 1
        sign(&bytes)
        for name in copies(of: account) { try state.write(name, bytes) }
        let keyring = try state.start()
        #expect(throws: KeyringError.keybag(.keysDamaged)) { try keyring.unlock(account, "right") }
        #expect(keyring.retryAfterSeconds(account) == 0)
    }

    @Test func `a newer version is refused and neither copy is changed`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn()
        let name = copies(of: account)[1]
        var bytes = try state.read(name)
        bytes[8] = 6
        // Of the known length and checksum, and of others.
        var signed = bytes
        sign(&signed)
        for newer in [signed, bytes + [1, 2, 3]] {
            try state.write(name, newer)
            let keyring = try state.start()
            #expect(keyring.accounts.isEmpty)
            #expect(keyring.unreadableKeybags.map(\.error) == [.newerVersion(6)])
            #expect(try state.read(name) == newer)
        }
    }

    @Test func `a keybag under another account's name is not that account`() throws {
        let state = try TestState()
        let account = try state.start().registerAnn(passphrase: nil)
        let other = AccountID(Bytes16(high: 1, low: 2))
        try state.write(copies(of: other)[0], state.read(copies(of: account)[0]))
        let keyring = try state.start()
        #expect(keyring.accounts == [account])
        #expect(keyring.unreadableKeybags.map(\.error) == [.otherAccount])
    }

    @Test func `files that are no keybags are left alone but for unfinished ones`() throws {
        let state = try TestState()
        _ = try state.start().registerAnn(passphrase: nil)
        let kept = [
            "README", "abc.keybag", "\(String(repeating: "A", count: 32)).keybag", ".hidden",
        ]
        for name in kept { try state.write("keybags/\(name)", [1]) }
        try state.write("keybags/.x.keybag.7.new", [1])
        let keyring = try state.start()
        #expect(keyring.accounts.count == 1)
        #expect(keyring.unreadableKeybags.isEmpty)
        let names = try state.names(in: "keybags")
        #expect(kept.allSatisfy { names.contains($0) })
        #expect(names.count == kept.count + 2)
    }

    /// Every call of the two replacements fails in turn: write, sync, rename, sync of the
    /// directory; then write, sync and removal of what was there.
    @Test(arguments: 1...15, [1, Int.max])
    func `a change that is interrupted leaves the old or the new passphrase`(
        _ nth: Int, _ times: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let key = SecretBytes.random(count: 32)
        let file = try keyring.wrap(key, for: account, .complete)
        var failed = false
        try FaultPlan.run(.any, nth: nth, times: times) {
            do {
                try keyring.changePassphrase(
                    account, from: passphrase("right"), to: passphrase("new"))
            } catch { failed = true }
        }
        // The first three leave the old one; from the rename of the first copy on it is the new
        // one.
        #expect(failed == (nth <= 3))
        for keyring in [keyring, try state.start()] {
            let (valid, invalid) = nth <= 3 ? ("right", "new") : ("new", "right")
            #expect(throws: KeyringError.self) { try keyring.unlock(account, invalid) }
            state.advance(10)
            try keyring.unlock(account, valid)
            #expect(try keyring.unwrap(file).equals(key))
        }
        let both = try copies(of: account).map { try state.read($0) }
        #expect(both[0] == both[1])
        #expect(try state.names(in: "keybags").count == 2)
    }

    @Test func `the newer generation wins whichever copy it is in`() throws {
        for newer in [0, 1] {
            let state = try TestState()
            let keyring = try state.start()
            let account = try keyring.registerAnn()
            let old = try state.read(copies(of: account)[0])
            try keyring.changePassphrase(account, from: passphrase("right"), to: passphrase("new"))
            try state.write(copies(of: account)[1 - newer], old)
            state.forgetFindings()
            try state.start().unlock(account, "new")
            let file = String(copies(of: account)[1 - newer].dropFirst("keybags/".count))
            #expect(state.findings == [.completed(fileName: file)])
        }
    }

    @Test(arguments: 1...4, [1, Int.max])
    func `a repair that is interrupted leaves the good copy`(_ nth: Int, _ times: Int) throws {
        for damaged in [0, 1] {
            let state = try TestState()
            let account = try state.start().registerAnn()
            let names = copies(of: account)
            let good = try state.read(names[0])
            try state.write(names[damaged], Array(good.dropLast()))
            // Not the syncs of the start itself, without which it does not serve.
            try FaultPlan.run([.write, .rename, .remove], nth: nth, times: times) {
                let keyring = try state.start()
                try keyring.unlock(account, "right")
            }
            #expect(try state.read(names[1 - damaged]) == good)
            try state.start().unlock(account, "right")
            #expect(try names.allSatisfy { try state.read($0) == good })
        }
    }

    @Test(arguments: 1...8, [1, Int.max])
    func `a registration that is interrupted is whole or absent`(
        _ nth: Int, _ times: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        try FaultPlan.run(.any, nth: nth, times: times) {
            _ = try? keyring.registerAnn(passphrase: nil)
        }
        // The first three leave none. The fourth, the sync of the directory, is done once more for
        // the second copy.
        let isThere = nth > 3
        let isDurable = isThere && !(nth == 4 && times > 1)
        #expect(keyring.accounts.count == (isDurable ? 1 : 0))
        let again = try state.start()
        // On a disk that takes nothing any more the new keybag could not even be removed. Nothing
        // was written with it.
        #expect(again.accounts.count == (isThere ? 1 : 0))
        for account in again.accounts { try again.unlock(account, passphrase: nil) }
    }

    @Test func `a registration that cannot be made durable is refused`() throws {
        let state = try TestState()
        let keyring = try state.start()
        // Of the second syncs on: the file's is the first, the directory's the second.
        try FaultPlan.run(.sync, nth: 2, times: 2) {
            #expect(throws: KeyringError.storage(.ioError)) {
                try keyring.registerAnn(passphrase: nil)
            }
        }
        #expect(keyring.accounts.isEmpty)
        #expect(try state.names(in: "keybags").isEmpty)
        _ = try keyring.registerAnn(passphrase: nil)
        #expect(try state.start().accounts == keyring.accounts)
    }
}
