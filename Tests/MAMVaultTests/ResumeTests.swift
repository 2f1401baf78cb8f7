import Glibc
import MAMKeyring
import MAMModel
import Testing

@testable import MAMVault

@Suite struct ResumeTests {
    @Test(arguments: ["secret", nil])
    func `a grace period ends, and its account stays open`(passphrase: String?) throws {
        let test = try TestVault(grace: 600, passphrase: passphrase)
        test.vault.lock(test.ann, now: false)
        #expect(test.vault.accounts.first?.state == .grace)
        test.vault.resume(test.ann)
        #expect(test.vault.accounts.first?.state == .unlocked)
    }

    @Test func `after the lock only an account without a passphrase is opened`() throws {
        for (passphrase, state) in [("secret", WindowState.locked), (nil, .unlocked)] {
            let test = try TestVault(passphrase: passphrase)
            let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
            test.vault.lock(test.ann, now: true)
            test.vault.resume(test.ann)
            #expect(test.comes(to: state))
            #expect(isWindowClosed { _ = try file.text() } == (state == .locked))
        }
    }

    @Test
    func `a lock that is asked for while an unlock is under way is the one that counts`() throws {
        let test = try TestVault()
        test.vault.lock(test.ann, now: true)
        // Checks what it was given after the lock.
        let before = test.vault.lockCount(of: test.ann)
        test.vault.lock(test.ann, now: true)
        #expect(throws: KeyringError.lockedMeanwhile(test.ann)) {
            try test.vault.unlock(test.ann, passphrase: secret("secret"), since: before)
        }
        #expect(test.vault.accounts.first?.state == .locked)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        let open = test.vault.lockCount(of: test.ann)
        test.vault.lockAll()
        #expect(throws: KeyringError.lockedMeanwhile(test.ann)) {
            try test.vault.unlock(test.ann, passphrase: secret("secret"), since: open)
        }
    }

    @Test func `an account that is open stays so`() throws {
        let test = try TestVault()
        test.vault.resume(test.ann)
        #expect(test.vault.accounts.first?.state == .unlocked)
    }
}

extension TestVault {
    /// A resumed account is unlocked by a thread of its own.
    fileprivate func comes(to state: WindowState) -> Bool {
        for _ in 0..<1000 where vault.accounts.first?.state != state { usleep(10_000) }
        return vault.accounts.first?.state == state
    }
}
