import Glibc
import MAMCrypto
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMSettings
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

/// A registration that the disk does not take: what is left of it is no account that is locked out.
@Suite struct TakenBackTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private func start() throws -> Tree {
        let directory = try place.open()
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8192)
        let keyring = try Keyring(stateDirectory: directory, cost: cost ?? .standard) { _ in }
        let documents = try PolicyDocument.decode(Array(#"{"pinRequired": false}"#.utf8))
        let vault = try Vault(
            settings: Settings(), policies: PolicyBook(documents: documents), keyring: keyring,
            stateDirectory: directory.raw, log: .silent)
        return try Tree(
            vault: vault, root: directory, workDirectory: nil, mountPoint: ByteString(""),
            isReadOnly: false
        ) { _ in }
    }

    /// Each step from the nth on fails: also those that take the keybag back.
    @Test(arguments: [Faults.Kind.sync, [.sync, .remove], [.sync, .write, .remove]], 1...12)
    func `its record is there while its keybag is`(_ kinds: Faults.Kind, _ nth: Int) throws {
        let bob = try Identity(name: "bob@contoso.com")
        // Where there are other records a missing one counts as damaged.
        _ = try Registration(start()).register(bob, user: 1001, passphrase: nil)
        let tree = try start()
        Faults.arm(kinds, nth: nth, error: .ioError)
        let isRegistered = (try? register(tree)) != nil
        Faults.disarm()
        let again = try start()
        Enrollment(again).settleAll()
        #expect(Accounts(again.vault).all.allSatisfy { $0.block == nil })
        #expect(Accounts(again.vault).all.count == 2 || !isRegistered)
        // As long as this daemon lives a second try makes no second account of the name.
        guard !isRegistered else { return }
        _ = try register(tree)
        let last = try start()
        #expect(Accounts(last.vault).all.count == 2)
        Enrollment(last).settleAll()
        #expect(Accounts(last.vault).all.allSatisfy { $0.block == nil })
    }

    private func register(_ tree: Tree) throws -> AccountID {
        try Registration(tree).register(try TestVault.annIdentity(), user: 1000, passphrase: nil)
    }
}
