import Glibc
import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

@Suite(.serialized) struct WipeTests {
    /// Calls that can fail, in this order: write, sync, rename and sync of the record; write, sync
    /// and removal of each copy, and their directory's sync; removal and sync of the count of
    /// passphrases; removal and sync of the record.
    @Test(arguments: 1...16, [1, Int.max])
    func `a wipe that is cut anywhere is not begun, or is done by the next start`(
        _ nth: Int, _ times: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let file = try keyring.wrap(.random(count: 32), for: account, .none)
        var isDecided = false
        try FaultPlan.run(.any, nth: nth, times: times, error: .ioError) {
            isDecided = (try? keyring.wipe(account)) != nil
        }
        // A fourth that fails is taken back, if anything works.
        #expect(isDecided == (nth > 4 || nth == 4 && times > 1))
        let again = try state.start()
        #expect(again.accounts == (isDecided ? [] : [account]))
        guard isDecided else {
            #expect(again.wipes.isEmpty)
            return try again.unlock(account, "right")
        }
        #expect(throws: KeyringError.unknownKey(file.keyID)) { try again.unwrap(file) }
        #expect(try state.names(in: "keybags").isEmpty)
        for wipe in again.wipes.all {
            #expect(throws: KeyringError.beingWiped(account)) { try again.registerAnn() }
            #expect(again.wipes.destroyKeybag(of: wipe))
            #expect(again.wipes.end(wipe))
        }
        #expect(try state.names(in: "wipes") == ["spare"])
        #expect(try state.start().registerAnn() != account)
    }

    @Test func `a wipe leaves nothing that opens the account's files`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let other = try keyring.register(Identity(name: "bob"), uid: 1, passphrase: nil)
        let files = try ProtectionClass.allCases.map {
            try keyring.wrap(.random(count: 32), for: account, $0)
        }
        let kept = SecretBytes.random(count: 32)
        let others = try ProtectionClass.allCases.map { try keyring.wrap(kept, for: other, $0) }
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        try keyring.wipe(account)
        for keyring in [keyring, try state.start()] {
            #expect(keyring.accounts == [other])
            for file in files {
                #expect(throws: KeyringError.unknownKey(file.keyID)) { try keyring.unwrap(file) }
            }
            #expect(throws: KeyringError.unknownAccount(account)) {
                try keyring.wrapper(account: account, protectionClass: .completeUnlessOpen)
            }
            #expect(throws: KeyringError.unknownAccount(account)) {
                try keyring.changePassphrase(account, from: passphrase("right"), to: nil)
            }
            try keyring.unlock(other, passphrase: nil)
            for file in others { #expect(try keyring.unwrap(file).equals(kept)) }
        }
        #expect(try state.names(in: "attempts").isEmpty)
        #expect(try state.names(in: "keybags").count == 2)
    }

    @Test func `keybags are overwritten and not only removed`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let before = try state.read(copies(of: account)[0])
        let leftover = "keybags/.\(account.bytes).keybag.7.new"
        try state.write(leftover, before)
        let names = copies(of: account) + [leftover]
        // A second name of the same bytes on disk.
        for (index, name) in names.enumerated() {
            link("\(state.path)/\(name)", "\(state.path)/kept-\(index)")
        }
        try keyring.wipe(account)
        for index in names.indices {
            let after = try state.read("kept-\(index)")
            let sameCount = zip(before, after).count { $0 == $1 }
            #expect(after.count == before.count && sameCount < 100)
        }
        #expect(try state.names(in: "keybags").isEmpty)
    }

    @Test func `a decided wipe goes before the repair of a copy`() throws {
        for left in [0, 1] {
            let state = try TestState()
            let keyring = try state.start()
            let account = try keyring.registerAnn()
            let good = try state.read(copies(of: account)[0])
            let wipe = try keyring.wipes.decide(of: account)
            state.remove(copies(of: account)[1 - left])
            #expect(try state.read(copies(of: account)[left]) == good)
            let again = try state.start()
            #expect(again.accounts.isEmpty && again.unreadableKeybags.isEmpty)
            #expect(again.wipes.all.map(\.account) == [account])
            #expect(
                again.wipes.all.first?.identity.name == ann
                    && again.wipes.all.first?.uid == wipe.uid)
            #expect(try state.names(in: "keybags").isEmpty)
        }
    }

    @Test func `a record that can neither be synced nor taken back is a decision`() throws {
        for failures in 1...3 {
            let state = try TestState()
            let keyring = try state.start()
            let account = try keyring.registerAnn()
            // The file's sync is the first, the directory's the second, that of its removal the
            // third.
            try FaultPlan.run(.sync, nth: 2, times: failures, error: .ioError) {
                let decided = try? keyring.wipes.decide(of: account)
                #expect((decided != nil) == (failures > 1))
            }
            #expect(try state.names(in: "wipes") == ["spare"])
            #expect(keyring.wipes.all.map(\.account) == (failures > 1 ? [account] : []))
            let notDurable = KeyringFinding.notDurable(
                fileName: "wipes/\(account.bytes)", .ioError)
            #expect(state.findings == (failures > 1 ? [notDurable] : []))
        }
    }

    /// The spare's room is written, or was given back first.
    @Test(arguments: [1, 2], [Errno.noSpace, .quotaExceeded])
    func `a wipe is decided on a full disk`(_ refusals: Int, _ error: Errno) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        try FaultPlan.run(.write, nth: 1, times: refusals, error: error) {
            _ = try keyring.wipes.decide(of: account)
        }
        #expect(try state.names(in: "wipes") == ["\(account.bytes)"])
        let again = try state.start()
        #expect(again.accounts.isEmpty)
        #expect(try state.names(in: "keybags").isEmpty)
        let wipe = try #require(again.wipes.all.first)
        #expect(again.wipes.end(wipe))
        #expect(try state.read("wipes/spare").count == 256 << 10)
    }

    @Test func `a wipe without room is not decided, and says so`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        try FaultPlan.run(.write, nth: 1) {
            #expect(throws: KeyringError.storage(.noSpace)) {
                _ = try keyring.wipes.decide(of: account)
            }
        }
        #expect(keyring.wipes.isEmpty)
        try state.start().unlock(account, "right")
    }

    @Test func `a wipe whose record stays has not ended, and its name is taken`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let wipe = try keyring.wipes.decide(of: account)
        keyring.wipes.eraseKeys(of: wipe)
        #expect(keyring.wipes.destroyKeybag(of: wipe))
        try FaultPlan.run(.sync, nth: 1) { #expect(!keyring.wipes.end(wipe)) }
        #expect(keyring.wipes.all.map(\.account) == [account])
        #expect(throws: KeyringError.beingWiped(account)) { try keyring.registerAnn() }
        #expect(keyring.wipes.end(wipe))
        _ = try keyring.registerAnn()
    }

    @Test(arguments: [0, 1])
    func `a copy that cannot be destroyed keeps no other`(_ stuck: Int) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        let leftover = "keybags/.\(account.bytes).keybag.7.new"
        try state.write(leftover, try state.read(copies(of: account)[0]))
        let wipe = try keyring.wipes.decide(of: account)
        keyring.wipes.eraseKeys(of: wipe)
        // A name that can neither be opened for writing nor unlinked.
        let obstacle = copies(of: account)[stuck]
        state.remove(obstacle)
        mkdir("\(state.path)/\(obstacle)", 0o700)
        #expect(!keyring.wipes.destroyKeybag(of: wipe))
        #expect(try state.names(in: "keybags").map { "keybags/\($0)" } == [obstacle])
        #expect(try state.names(in: "attempts").isEmpty)
        #expect(state.findings.contains { if case .notDestroyed = $0 { true } else { false } })
        rmdir("\(state.path)/\(obstacle)")
        #expect(keyring.wipes.destroyKeybag(of: wipe))
    }

    @Test(arguments: 1...6)
    func `a copy that cannot be overwritten is removed, and the failure told`(
        _ nth: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let wipe = try keyring.wipes.decide(of: account)
        try FaultPlan.run([.write, .sync], nth: nth, times: 1) {
            #expect(!keyring.wipes.destroyKeybag(of: wipe))
        }
        #expect(try state.names(in: "keybags").isEmpty)
        #expect(keyring.wipes.destroyKeybag(of: wipe))
    }

    @Test func `a check with repair writes no keybag of an account with a damaged record`() throws {
        for missing in [0, 1] {
            let state = try TestState()
            let account = try state.start().registerAnn()
            let name = copies(of: account)[missing]
            state.remove(name)
            try state.write("wipes/\(account.bytes)", [1])
            let keyring = try state.start()
            #expect(try keyring.checkKeybags(repair: true) == [.wipeDamaged(account)])
            #expect(throws: Errno.noEntry) { try state.read(name) }
        }
    }

    @Test func `keys that cannot be destroyed are not loaded either`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn(passphrase: nil)
        _ = try keyring.wipes.decide(of: account)
        let obstacle = "\(state.path)/\(copies(of: account)[1])"
        unlink(obstacle)
        mkdir(obstacle, 0o700)
        let again = try state.start()
        #expect(again.accounts.isEmpty)
        #expect(state.findings.contains { if case .notDestroyed = $0 { true } else { false } })
        rmdir(obstacle)
        let wipe = try #require(again.wipes.all.first)
        #expect(again.wipes.destroyKeybag(of: wipe))
        #expect(try state.names(in: "keybags").isEmpty)
    }

    @Test func `a record that is damaged anywhere destroys nothing and opens nothing`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let keybags = try copies(of: account).map { try state.read($0) }
        _ = try keyring.wipes.decide(of: account)
        let name = "wipes/\(account.bytes)"
        let good = try state.read(name)
        var damaged = good.indices.filter { !versionBytes.contains($0) }.map { index in
            var bytes = good
            bytes[index] ^= 0x10
            return bytes
        }
        damaged += [[], Array(good.dropLast()), good + [0]]
        for bytes in damaged {
            try state.write(name, bytes)
            state.forgetFindings()
            let again = try state.start()
            #expect(again.accounts.isEmpty && again.wipes.isEmpty)
            #expect(state.findings == [.wipeDamaged(account)])
        }
        #expect(try copies(of: account).map { try state.read($0) } == keybags)
        state.remove(name)
        try state.start().unlock(account, "right")
    }

    @Test func `a second decision is the first one`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let first = try keyring.wipes.decide(of: account)
        keyring.wipes.eraseKeys(of: first)
        #expect(try keyring.wipes.decide(of: account).account == account)
        #expect(throws: KeyringError.self) { try keyring.wipes.decide(of: AccountID(.zero)) }
    }
}

extension Keyring {
    /// All but the files. Throws only if nothing was decided.
    fileprivate func wipe(_ account: AccountID) throws(KeyringError) {
        let wipe = try wipes.decide(of: account)
        wipes.eraseKeys(of: wipe)
        if wipes.destroyKeybag(of: wipe) { _ = wipes.end(wipe) }
    }
}
