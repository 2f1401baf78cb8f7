import MAMKeyring
import MAMModel
import MAMSystem
import MAMVault
import Testing

@Suite("Blocking an account")
struct BlockTests {
    static let offline = AccountBlock(
        .offline, "no check-in for two days")

    @Test(
        "A block closes files of every class, open ones too, and its end opens what a lock leaves open",
        arguments: ["whenDeviceLocked", "whenDeviceLockedExceptOpenFiles", "afterDeviceRestart"])
    func everyClass(policy: String) throws {
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

    @Test("What arrives while a block closes the windows is kept")
    func closing() throws {
        let test = try TestVault("afterDeviceRestart")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "before")
        test.vault.setMount(ActionMount { try? file.write("during") })
        test.vault.block(test.ann, Self.offline)
        test.vault.setMount(nil)
        #expect(block { try file.write("after!") } == .offline)
        try test.vault.unblock(test.ann)
        #expect(try file.text() == "during")
    }

    @Test("A recheck is a lock with another name, and the passphrase ends it")
    func recheck() throws {
        let test = try TestVault("whenDeviceLocked")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(block { _ = try file.text() } == .recheck)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(try file.text() == "hello")
        #expect(test.vault.block(of: test.ann) == nil)
    }

    @Test(
        "A recheck takes the place of no block that a passphrase does not end, and a link tries no passphrase"
    )
    func graver() throws {
        let test = try TestVault("whenDeviceLocked")
        test.vault.block(test.ann, Self.offline)
        test.vault.block(test.ann, AccountBlock(.recheck, "not used for 30 minutes"))
        #expect(test.vault.block(of: test.ann) == Self.offline)
        #expect(throws: KeyringError.blocked(Self.offline)) {
            try test.vault.link(test.ann, objectID: "1", passphrase: secret("wrong"))
        }
        #expect(test.vault.accounts.first?.retryAfterSeconds == 0)
    }

    @Test("An account without a passphrase is open again when its block ends")
    func withoutPassphrase() throws {
        let test = try TestVault(passphrase: nil)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        test.vault.block(test.ann, Self.offline)
        test.vault.resume(test.ann)
        #expect(block { _ = try file.text() } == .offline)
        try test.vault.unblock(test.ann)
        #expect(try file.text() == "hello")
    }

    @Test("A block that comes to a locked account, or twice, ends as one")
    func lockedBefore() throws {
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
