import Glibc
import MAMKeyring
import MAMModel
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

@Suite("Opening again what needs no secret")
struct ResumeTests {
    @Test("A grace period ends, and its account stays open", arguments: ["secret", nil])
    func grace(passphrase: String?) throws {
        let test = try TestVault(grace: 600, passphrase: passphrase)
        Lock(test.tree).lock(test.ann, now: false)
        #expect(Accounts(test.vault).all.first?.state == .grace)
        Unlock(test.tree).resume(test.ann)
        #expect(Accounts(test.vault).all.first?.state == .unlocked)
    }

    @Test("After the lock only an account without a passphrase is opened")
    func locked() throws {
        for (passphrase, state) in [("secret", WindowState.locked), (nil, .unlocked)] {
            let test = try TestVault(passphrase: passphrase)
            let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
            Lock(test.tree).lock(test.ann, now: true)
            Unlock(test.tree).resume(test.ann)
            #expect(test.comes(to: state))
            #expect(isWindowClosed { _ = try file.text() } == (state == .locked))
        }
    }

    @Test("A lock that is asked for while an unlock is under way is the one that counts")
    func overtaken() throws {
        let test = try TestVault()
        Lock(test.tree).lock(test.ann, now: true)
        // Checks what it was given after the lock.
        let before = test.vault.lockCount(of: test.ann)
        Lock(test.tree).lock(test.ann, now: true)
        #expect(throws: KeyringError.lockedMeanwhile(test.ann)) {
            try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"), since: before)
        }
        #expect(Accounts(test.vault).all.first?.state == .locked)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        let open = test.vault.lockCount(of: test.ann)
        Lock(test.tree).lockAll()
        #expect(throws: KeyringError.lockedMeanwhile(test.ann)) {
            try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"), since: open)
        }
    }

    @Test("An account that is open stays so")
    func unlocked() throws {
        let test = try TestVault()
        Unlock(test.tree).resume(test.ann)
        #expect(Accounts(test.vault).all.first?.state == .unlocked)
    }
}

extension TestVault {
    /// A resumed account is unlocked by a thread of its own.
    fileprivate func comes(to state: WindowState) -> Bool {
        eventually { Accounts(vault).all.first?.state == state }
    }
}
