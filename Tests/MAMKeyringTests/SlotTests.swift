import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import TestSupport
import Testing

@Suite struct SlotTests {
    @Test func `each slot's secret opens the account, whatever was added since`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        let recovery = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        let other = try keyring.addSlot(.passphrase(passphrase("other")), to: ann, opening: words)
        let again = try state.start()
        #expect(again.slots(of: ann).map(\.kind) == [.passphrase, .recovery, .passphrase])
        #expect(again.slots(of: ann).map(\.id).suffix(2) == [recovery.id, other.id])
        #expect(try again.testSlot(of: ann, secret: words) == again.slots(of: ann)[1])
        for secret in [passphrase("right"), passphrase("other"), words] {
            again.dropAllKeys()
            try again.unlock(ann, passphrase: secret)
            #expect(again.windowState(of: ann) == .unlocked)
        }
    }

    @Test func `files stay readable through every change`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let key = SecretBytes.random(count: 32)
        let files = try ProtectionClass.allCases.map { try keyring.wrap(key, for: ann, $0) }
        let words = RecoveryWords.generate()
        let slot = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        try keyring.changePassphrase(ann, from: passphrase("right"), to: passphrase("new"))
        try keyring.removeSlot(slot.id, of: ann, opening: passphrase("new"))
        let again = try state.start()
        try again.unlock(ann, "new")
        for file in files { #expect(try again.unwrap(file).equals(key)) }
    }

    @Test func `a removed slot opens nothing`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        let slot = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        try keyring.removeSlot(slot.id, of: ann, opening: words)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.unlock(ann, passphrase: words)
        }
        #expect(keyring.failureCount(ann) == 1)
        #expect(keyring.slots(of: ann).map(\.kind) == [.passphrase])
    }

    @Test func `a changed passphrase replaces its own slot and leaves the others`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        _ = try keyring.addSlot(
            .passphrase(passphrase("other")), to: ann, opening: passphrase("right"))
        try keyring.changePassphrase(ann, from: passphrase("right"), to: passphrase("new"))
        try opens(state, keyring, ann, ["new", "other"], not: ["right"])
        try keyring.unlock(ann, passphrase: words)
        #expect(keyring.slots(of: ann).map(\.kind) == [.recovery, .passphrase, .passphrase])
    }

    @Test(arguments: [true, false])
    func `words replace all passphrases, as a policy may ask`(_ byWords: Bool) throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        _ = try keyring.addSlot(
            .passphrase(passphrase("other")), to: ann, opening: passphrase("right"))
        try keyring.changePassphrase(
            ann, from: byWords ? words : passphrase("right"), to: passphrase("new"),
            replacingAll: !byWords)
        try opens(state, keyring, ann, ["new"], not: ["right", "other"])
        try keyring.unlock(ann, passphrase: words)
    }

    @Test func `without a passphrase no slot is left, and none is added`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        try keyring.changePassphrase(ann, from: passphrase("right"), to: nil)
        #expect(keyring.slots(of: ann).isEmpty && !keyring.hasPassphrase(ann))
        #expect(try state.read(copies(of: ann)[0]).count == 1024)
        #expect(throws: KeyringError.self) {
            try keyring.addSlot(.recovery(words), to: ann, opening: nil)
        }
        #expect(keyring.slots(of: ann).isEmpty)
        #expect(keyring.keyID(of: ann) == (try state.start()).keyID(of: ann))
    }

    @Test func `a secret has one slot`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("right"))
        for new in [NewSlot.passphrase(passphrase("right")), .recovery(words)] {
            #expect(throws: KeyringError.self) {
                try keyring.addSlot(new, to: ann, opening: words)
            }
        }
        _ = try keyring.addSlot(.passphrase(passphrase("other")), to: ann, opening: words)
        #expect(throws: KeyringError.self) {
            try keyring.changePassphrase(ann, from: passphrase("right"), to: passphrase("other"))
        }
        #expect(keyring.slots(of: ann).count == 3)
    }

    @Test func `refusals leave everything as it is`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let before = try state.read(copies(of: ann)[0])
        let right = passphrase("right")
        let first = try #require(keyring.slots(of: ann).first)
        for id in [first.id, try #require(KeySlot.ID("00000000"))] {
            #expect(throws: KeyringError.self) {
                try keyring.removeSlot(id, of: ann, opening: right)
            }
        }
        for text in ["", "no words at all", "abandon abandon"] {
            #expect(throws: KeyringError.self) {
                try keyring.addSlot(.recovery(passphrase(text)), to: ann, opening: right)
            }
        }
        #expect(throws: KeyringError.emptyPassphrase) {
            try keyring.addSlot(.passphrase(passphrase("")), to: ann, opening: right)
        }
        #expect(try state.read(copies(of: ann)[0]) == before)
        #expect(keyring.failureCount(ann) == 0)
    }

    @Test func `eight slots are all`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let right = passphrase("right")
        for number in 2...8 {
            _ = try keyring.addSlot(.passphrase(passphrase("\(number)")), to: ann, opening: right)
        }
        #expect(throws: KeyringError.self) {
            try keyring.addSlot(.passphrase(passphrase("nine")), to: ann, opening: right)
        }
        let again = try state.start()
        #expect(again.slots(of: ann).count == 8)
        try again.unlock(ann, "8")
        // One try, although eight slots refuse it.
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try again.unlock(ann, "wrong")
        }
        #expect(again.failureCount(ann) == 1)
    }

    @Test func `a keybag of before opens, and becomes version 4 at its first change`() throws {
        let state = try TestState()
        try state.write("device-secret", KeybagVector.deviceSecret)
        _ = try state.start()
        let ann = KeybagVector.account
        for name in copies(of: ann) { try state.write(name, KeybagVector.withPassphrase) }
        let keyring = try state.start()
        try keyring.unlock(ann, "correct horse")
        #expect(keyring.slots(of: ann).map(\.id.description) == ["00000000"])
        #expect(try state.read(copies(of: ann)[0]) == KeybagVector.withPassphrase)
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(.recovery(words), to: ann, opening: passphrase("correct horse"))
        #expect(try state.read(copies(of: ann)[0])[8] == 4)
        #expect(keyring.slots(of: ann).first?.id.description != "00000000")
        let again = try state.start()
        again.dropAllKeys()
        try again.unlock(ann, passphrase: words)
        try again.unlock(ann, "correct horse")
    }

    @Test(arguments: [true, false])
    func `a change of a keybag of before replaces its passphrase`(_ toNone: Bool) throws {
        let state = try TestState()
        try state.write("device-secret", KeybagVector.deviceSecret)
        _ = try state.start()
        let ann = KeybagVector.account
        for name in copies(of: ann) { try state.write(name, KeybagVector.withPassphrase) }
        let keyring = try state.start()
        try keyring.changePassphrase(
            ann, from: passphrase("correct horse"), to: toNone ? nil : passphrase("new"))
        #expect(keyring.slots(of: ann).map(\.kind) == (toNone ? [] : [.passphrase]))
        let again = try state.start()
        try again.unlock(ann, passphrase: toNone ? nil : passphrase("new"))
    }

    @Test func `the passphrase of a keybag of before is not removed`() throws {
        let state = try TestState()
        try state.write("device-secret", KeybagVector.deviceSecret)
        _ = try state.start()
        let ann = KeybagVector.account
        for name in copies(of: ann) { try state.write(name, KeybagVector.withPassphrase) }
        let keyring = try state.start()
        let shown = try #require(keyring.slots(of: ann).first)
        let only = KeyringError.refused(
            "it is the account's only passphrase", next: "mamctl account passphrase")
        #expect(throws: only) {
            try keyring.removeSlot(shown.id, of: ann, opening: passphrase("correct horse"))
        }
        #expect(try state.read(copies(of: ann)[0]) == KeybagVector.withPassphrase)
    }

    @Test func `words take no former passphrase again`() throws {
        let keyring = try TestState().start()
        let ann = try keyring.registerAnn()
        let words = RecoveryWords.generate()
        _ = try keyring.addSlot(
            .recovery(words), to: ann, opening: passphrase("right"), previousBlockCount: 3)
        var former = ["right"]
        for text in ["second", "third"] {
            try keyring.changePassphrase(
                ann, from: words, to: passphrase(text), previousBlockCount: 3)
            former.append(text)
            for old in former {
                #expect(throws: KeyringError.self, "\(old) after \(text)") {
                    try keyring.changePassphrase(
                        ann, from: words, to: passphrase(old), previousBlockCount: 3)
                }
            }
        }
        try keyring.changePassphrase(
            ann, from: words, to: passphrase("fourth"), previousBlockCount: 3)
        try keyring.changePassphrase(
            ann, from: words, to: passphrase("right"), previousBlockCount: 3)
    }

    /// On a full disk, and on one that fails: the old slots or the new ones, and always a way in.
    @Test(arguments: [Faults.Kind.write, .sync, .rename], 1...5)
    func `a change that fails leaves the slots of before or the new ones`(
        _ kind: Faults.Kind, _ nth: Int
    ) throws {
        let state = try TestState()
        let keyring = try state.start()
        let ann = try keyring.registerAnn()
        let (words, right) = (RecoveryWords.generate(), passphrase("right"))
        var added: KeySlot?
        try FaultPlan.run(kind, nth: nth) {
            added = try? keyring.addSlot(.recovery(words), to: ann, opening: right)
        }
        try isWhole(keyring, ann, words)
        let again = try state.start()
        try isWhole(again, ann, words)
        if added != nil { #expect(again.slots(of: ann).last == added) }
        let slots = again.slots(of: ann)
        try FaultPlan.run(kind, nth: nth) {
            try? again.changePassphrase(ann, from: right, to: passphrase("new"))
        }
        let last = try state.start()
        let isNew = last.slots(of: ann).map(\.id) != slots.map(\.id)
        _ = try last.testSlot(of: ann, secret: passphrase(isNew ? "new" : "right"))
        #expect(last.slots(of: ann).map(\.kind.rawValue).sorted() == slots.map(\.kind.rawValue))
    }

    private func isWhole(_ keyring: Keyring, _ account: AccountID, _ words: SecretBytes) throws {
        _ = try keyring.testSlot(of: account, secret: passphrase("right"))
        if keyring.slots(of: account).count == 2 {
            #expect(try keyring.testSlot(of: account, secret: words)?.kind == .recovery)
        }
    }

    private func opens(
        _ state: TestState, _ keyring: Keyring, _ account: AccountID, _ right: [String],
        not wrong: [String]
    ) throws {
        for text in right { _ = try keyring.testSlot(of: account, secret: passphrase(text)) }
        for text in wrong {
            state.advance(60)
            #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
                try keyring.testSlot(of: account, secret: passphrase(text))
            }
            state.advance(60)
            // Ends the delay.
            _ = try keyring.testSlot(of: account, secret: passphrase(right[0]))
        }
    }
}
