import MAMModel
import MAMVault
import Testing

@Suite("Opening again what needs no secret")
struct ResumeTests {
    @Test("A grace period ends, and its account stays open", arguments: ["secret", nil])
    func grace(passphrase: String?) throws {
        let test = try TestVault(grace: 600, passphrase: passphrase)
        test.vault.lock(test.ann, now: false)
        #expect(test.vault.accounts.first?.state == .grace)
        try test.vault.resume(test.ann)
        #expect(test.vault.accounts.first?.state == .unlocked)
    }

    @Test("After the lock only an account without a passphrase is opened")
    func locked() throws {
        for (passphrase, state) in [("secret", WindowState.locked), (nil, .unlocked)] {
            let test = try TestVault(passphrase: passphrase)
            let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
            test.vault.lock(test.ann, now: true)
            try test.vault.resume(test.ann)
            #expect(test.vault.accounts.first?.state == state)
            #expect(isWindowClosed { _ = try file.text() } == (state == .locked))
        }
    }

    @Test("An account that is open stays so")
    func unlocked() throws {
        let test = try TestVault()
        try test.vault.resume(test.ann)
        #expect(test.vault.accounts.first?.state == .unlocked)
    }
}
