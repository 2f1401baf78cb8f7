import MAMKeyring
import MAMModel
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

@Suite("Blocking an account")
struct BlockTests {
    static let offline = AccountBlock(
        .offline, "no check-in for two days")

    @Test(
        "A block closes every class, open files too, and its end opens what a lock leaves open",
        arguments: ["whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart"])
    func everyClass(policy: String) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let other = try test.makeFile("d", owner: file.owner, "always")
        Block(test.tree).block(test.ann, Self.offline)
        for file in [file, other] {
            #expect(block { _ = try file.text() } == .offline)
            #expect(block { try file.write("lost") } == .offline)
            #expect(!file.holdsKey)
        }
        #expect(block { _ = try test.openExisting("f") } == .offline)
        #expect(block { _ = try test.makeFile("g", owner: file.owner, "") } == .offline)
        #expect(throws: KeyringError.blocked(Self.offline)) {
            try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        }
        try Block(test.tree).unblock(test.ann)
        let staysOpen = policy == "afterDeviceRestart"
        #expect(isWindowClosed { _ = try file.text() } == !staysOpen)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        #expect(try other.text() == "always")
    }

    @Test("What arrives while a block closes the windows is kept")
    func closing() throws {
        let test = try TestVault("afterDeviceRestart")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "before")
        test.serve { try? file.write("during") }
        Block(test.tree).block(test.ann, Self.offline)
        test.tree.setServed(false)
        #expect(block { try file.write("after!") } == .offline)
        try Block(test.tree).unblock(test.ann)
        #expect(try file.text() == "during")
    }

    @Test(
        "A recheck closes every class, and the passphrase ends it",
        arguments: ["whenDeviceLocked", "afterDeviceRestart", "useDeviceSettings"])
    func recheck(policy: String) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        Block(test.tree).block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(block { _ = try file.text() } == .recheck)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        #expect(test.vault.block(of: test.ann) == nil)
    }

    @Test("A recheck replaces no block that a passphrase does not end; a link tries no passphrase")
    func graver() throws {
        let test = try TestVault("whenDeviceLocked")
        Block(test.tree).block(test.ann, Self.offline)
        Block(test.tree).block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(test.vault.block(of: test.ann) == Self.offline)
        #expect(throws: KeyringError.blocked(Self.offline)) {
            try Registration(test.tree).link(test.ann, objectID: "1", passphrase: secret("wrong"))
        }
        #expect(Accounts(test.vault).all.first?.retryAfterSeconds == 0)
    }

    @Test(
        "A recheck holds until the passphrase, whatever blocked beside it",
        arguments: [true, false])
    func recheckOutlasts(isFirst: Bool) throws {
        let test = try TestVault("afterDeviceRestart")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let recheck = AccountBlock(.recheck, "not used for 30 minutes")
        for block in isFirst ? [recheck, Self.offline] : [Self.offline, recheck] {
            Block(test.tree).block(test.ann, block)
        }
        #expect(test.vault.block(of: test.ann) == Self.offline)
        try Block(test.tree).unblock(test.ann)
        #expect(test.vault.block(of: test.ann) == recheck)
        #expect(block { _ = try file.text() } == .recheck)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(test.vault.block(of: test.ann) == nil)
        #expect(try file.text() == "hello")
    }

    @Test("An account without a passphrase is open again when its block ends")
    func withoutPassphrase() throws {
        let test = try TestVault(passphrase: nil)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        Block(test.tree).block(test.ann, Self.offline)
        Unlock(test.tree).resume(test.ann)
        #expect(block { _ = try file.text() } == .offline)
        try Block(test.tree).unblock(test.ann)
        #expect(try file.text() == "hello")
    }

    @Test("A block that comes to a locked account, or twice, ends as one")
    func lockedBefore() throws {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        Lock(test.tree).lock(test.ann, now: true)
        Block(test.tree).block(test.ann, Self.offline)
        Block(test.tree).block(test.ann, AccountBlock(.launch, "the system is too old"))
        #expect(block { _ = try file.text() } == .launch)
        try Block(test.tree).unblock(test.ann)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
    }

    /// Why a call was refused by a block; nil if it was not.
    private func block(_ body: () throws -> Void) -> AccountBlock.Kind? {
        do {
            try body()
            return nil
        } catch VaultError.blocked(_, let block) {
            return block.kind
        } catch { return nil }
    }
}
