import MAMKeyring
import MAMModel
import MAMSystem
import MAMVault
import Testing

@Suite struct BlockTests {
    static let offline = AccountBlock(
        .offline, "no check-in for two days")

    @Test(arguments: ["whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart"])
    func `a block closes files of every class, and its end opens what a lock leaves open`(
        policy: String
    ) throws {
        let test = try TestVault(policy)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        let other = try test.makeFile("d", owner: file.owner, "always")
        test.vault.block(test.ann, Self.offline)
        for file in [file, other] {
            #expect(block { _ = try file.text() } == .offline)
            #expect(block { try file.write("lost") } == .offline)
            #expect(!file.holdsKey)
        }
        #expect(block { _ = try test.openExisting("f") } == .offline)
        #expect(block { _ = try test.makeFile("g", owner: file.owner, "") } == .offline)
        #expect(throws: KeyringError.blocked(Self.offline)) {
            try test.vault.unlock(test.ann, passphrase: secret("secret"))
        }
        try test.vault.unblock(test.ann)
        let staysOpen = policy == "afterDeviceRestart"
        #expect(isWindowClosed { _ = try file.text() } == !staysOpen)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        #expect(try other.text() == "always")
    }

    @Test func `what arrives while a block closes the windows is kept`() throws {
        let test = try TestVault("afterDeviceRestart")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "before")
        test.vault.setMount(ActionMount { try? file.write("during") })
        test.vault.block(test.ann, Self.offline)
        test.vault.setMount(nil)
        #expect(block { try file.write("after!") } == .offline)
        try test.vault.unblock(test.ann)
        #expect(try file.text() == "during")
    }

    @Test func `a recheck is a lock with another name, and the passphrase ends it`() throws {
        let test = try TestVault("whenDeviceLocked")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(block { _ = try file.text() } == .recheck)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        #expect(test.vault.block(of: test.ann) == nil)
    }

    @Test
    func `a recheck keeps blocks that no passphrase ends, and a link tries no passphrase`() throws {
        let test = try TestVault("whenDeviceLocked")
        test.vault.block(test.ann, Self.offline)
        test.vault.block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(test.vault.block(of: test.ann) == Self.offline)
        #expect(throws: KeyringError.blocked(Self.offline)) {
            try test.vault.link(test.ann, objectID: "1", passphrase: secret("wrong"))
        }
        #expect(test.vault.accounts.first?.retryAfterSeconds == 0)
    }

    @Test func `an account without a passphrase is open again when its block ends`() throws {
        let test = try TestVault(passphrase: nil)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.block(test.ann, Self.offline)
        test.vault.resume(test.ann)
        #expect(block { _ = try file.text() } == .offline)
        try test.vault.unblock(test.ann)
        #expect(try file.text() == "hello")
    }

    @Test func `a block that comes to a locked account, or twice, ends as one`() throws {
        let test = try TestVault()
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.lock(test.ann, now: true)
        test.vault.block(test.ann, Self.offline)
        test.vault.block(test.ann, AccountBlock(.launch, "the system is too old"))
        #expect(block { _ = try file.text() } == .launch)
        try test.vault.unblock(test.ann)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
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
