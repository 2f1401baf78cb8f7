import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

@Suite(.serialized) struct AttemptTests {
    /// After the first, second, … wrong passphrase.
    private let delays: [Int64] = [1, 2, 4, 8, 60, 300, 900, 900, 3600, 3600]

    @Test(arguments: [false, true])
    func `delays grow, and hold over restarts`(_ restarts: Bool) throws {
        let state = try TestState()
        var keyring = try state.start()
        let account = try keyring.registerAnn()
        for (index, delay) in delays.enumerated() {
            #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: delay)) {
                try keyring.unlock(account, "wrong \(index)")
            }
            if restarts { keyring = try state.start() }
            #expect(keyring.retryAfterSeconds(account) == delay)
            state.advance(delay - 1)
            // Not even the right one is tried before its time.
            #expect(throws: KeyringError.retryLater(seconds: 1)) {
                try keyring.unlock(account, "right")
            }
            if restarts { keyring = try state.start() }
            state.advance(1)
            #expect(keyring.retryAfterSeconds(account) == 0)
        }
        try keyring.unlock(account, "right")
        #expect(try state.names(in: "attempts").isEmpty)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.unlock(account, "wrong")
        }
    }

    @Test func `the same wrong passphrase again is not counted`() throws {
        let state = try TestState()
        var keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
            try keyring.unlock(account, "wrong")
        }
        for _ in 0..<3 {
            state.advance(1)
            keyring = try state.start()
            #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 0)) {
                try keyring.unlock(account, "wrong")
            }
        }
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 2)) {
            try keyring.unlock(account, "wrong too")
        }
    }

    @Test(arguments: [false, true])
    func `the same wrong words in any spelling are counted once`(_ hasWords: Bool) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        if hasWords {
            _ = try keyring.addSlot(
                .recovery(RecoveryWords.generate()), to: account,
                opening: passphrase("right"))
        }
        // Of BIP 39's vectors.
        let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
        let other =
            "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
        for spelling in [words, "1. Legal 2. winn " + words.dropFirst(13), words.uppercased()] {
            #expect(throws: KeyringError.self) { try keyring.unlock(account, spelling) }
            #expect(keyring.failureCount(account) == 1)
            state.advance(keyring.retryAfterSeconds(account))
        }
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 2)) {
            try keyring.unlock(account, other)
        }
    }

    @Test(arguments: [false, true])
    func `a clock that is set back shortens no delay`(_ restarts: Bool) throws {
        let state = try TestState()
        var keyring = try state.start()
        let account = try keyring.registerAnn()
        for (index, delay) in delays.prefix(5).enumerated() {
            #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong \(index)") }
            if index < 4 { state.advance(delay) }
        }
        state.advance(-100_000)
        if restarts { keyring = try state.start() }
        #expect(keyring.retryAfterSeconds(account) == 60)
        #expect(throws: KeyringError.retryLater(seconds: 60)) {
            try keyring.unlock(account, "right")
        }
        // The delay runs again from the new time, so that a wrong clock locks nobody out for years.
        state.advance(59)
        #expect(throws: KeyringError.retryLater(seconds: 1)) {
            try keyring.unlock(account, "right")
        }
        if restarts { keyring = try state.start() }
        state.advance(1)
        try keyring.unlock(account, "right")
    }

    @Test(arguments: [.min, -1, 0, .max] as [Int64])
    func `no time of day ends the process`(_ time: Int64) throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        state.now = time
        _ = keyring.retryAfterSeconds(account)
        #expect(throws: (any Error).self) { try keyring.unlock(account, "wrong 2") }
        state.now = 5
        _ = try? keyring.unlock(account, "wrong 3")
        _ = try state.start().retryAfterSeconds(account)
    }

    @Test func `accounts are counted apart`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        let other = try keyring.register(
            Identity(name: "bob"), uid: 1, passphrase: passphrase("bob's"))
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        try keyring.unlock(other, "bob's")
        #expect(keyring.retryAfterSeconds(other) == 0)
    }

    @Test func `a record that is damaged anywhere means the longest delay, once`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        let name = "attempts/\(account.bytes)"
        let good = try state.read(name)
        #expect(good.count == 48)
        var damaged = good.indices.filter { !versionBytes.contains($0) }.map { index in
            var bytes = good
            bytes[index] ^= 0x10
            return bytes
        }
        damaged += [[], Array(good.dropLast()), good + [0]]
        for bytes in damaged {
            try state.write(name, bytes)
            state.forgetFindings()
            #expect(try state.start().retryAfterSeconds(account) == 3600)
            #expect(state.findings == [.attemptsDamaged(account)])
        }
        #expect(throws: KeyringError.attemptsDamaged(seconds: 3600)) {
            try state.start().unlock(account, "right")
        }
        // Nobody saw a wrong passphrase, and policy may wipe for them.
        #expect(try state.start().failureCount(account) == 0)
        state.advance(3600)
        #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 3600)) {
            try state.start().unlock(account, "wrong")
        }
        #expect(try state.start().failureCount(account) == 1)
        state.advance(3600)
        try state.start().unlock(account, "right")
    }

    @Test func `a full disk does not stop the counting nor a right passphrase`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        try FaultPlan.run(.any, nth: 1) {
            #expect(throws: KeyringError.wrongPassphrase(retryAfterSeconds: 1)) {
                try keyring.unlock(account, "wrong")
            }
            #expect(throws: KeyringError.retryLater(seconds: 1)) {
                try keyring.unlock(account, "right")
            }
            #expect(state.findings == [.attemptsNotWritten(account, .noSpace)])
            state.advance(1)
            try keyring.unlock(account, "right")
        }
    }

    @Test func `the failure is on disk when the answer comes`() throws {
        let state = try TestState()
        let keyring = try state.start()
        let account = try keyring.registerAnn()
        #expect(throws: KeyringError.self) { try keyring.unlock(account, "wrong") }
        // A second daemon stands for a crash right after the answer.
        #expect(try state.start().retryAfterSeconds(account) == 1)
    }
}
