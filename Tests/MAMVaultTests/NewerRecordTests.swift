import Glibc
import MAMCrypto
import MAMFormat
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

/// What a newer mamd wrote stays as it is, whatever the vault would write in its place.
@Suite struct NewerRecordTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// A daemon's start, with policies that name a recovery key.
    private func start(_ policy: String = #"{"pinRequired": false}"#) throws -> Tree {
        let directory = try place.open()
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8192)
        let keyring = try Keyring(stateDirectory: directory, cost: cost ?? .standard) { _ in }
        let documents = try PolicyDocument.decode(Array(policy.utf8))
        let vault = try Vault(
            settings: Settings(), policies: PolicyBook(documents: documents), keyring: keyring,
            stateDirectory: directory.raw, log: .silent)
        return try Tree(
            vault: vault, root: directory, workDirectory: nil, mountPoint: ByteString(""),
            isReadOnly: false
        ) { _ in }
    }

    private func register(_ tree: Tree) throws -> AccountID {
        try Registration(tree).register(try TestVault.annIdentity(), user: 1000, passphrase: nil)
    }

    private func read(_ name: String) throws -> [UInt8] {
        let directory = try place.open()
        return try readSmallFile(at: directory.raw, name, maximumByteCount: 1 << 20)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = try openFile(place.path(name), O_WRONLY | O_TRUNC)
        try bytes.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 0) }
    }

    @Test(arguments: [(1, false), (2, true)])
    func `an enrolment: the account is locked out, and the record stays`(
        _ version: Int, _ isNewer: Bool
    ) throws {
        let account = try register(try start())
        let name = "enrollment/\(account.bytes)"
        let bytes = Array(#"{"version":\#(version),"stage":"unheard of"}"#.utf8)
        try write(name, bytes)
        let tree = try start()
        Enrollment(tree).settleAll()
        #expect(tree.vault.block(of: account)?.kind == .lockedOut)
        Enrollment(tree).saveEnrollments()
        #expect(try (read(name) == bytes) == isNewer)
    }

    @Test(arguments: [(0, UInt8(0), false), (8, 4, true)])
    func `a recovery record`(_ offset: Int, _ value: UInt8, _ isNewer: Bool) throws {
        let (key, _) = try RecoveryKeyFile.make(passphrase: nil)
        let tree = try start(#"{"mamdRecoveryPublicKey": "\#(key.text)"}"#)
        let account = try register(tree)
        let place = try place.open()
        RecoveryUpdates(tree.vault).keepRecoveryRecords(in: place)
        let name = "recovery/\(account.bytes).\(key.shortName).keys"
        var bytes = try read(name)
        bytes[offset] = value
        try write(name, bytes)
        RecoveryUpdates(tree.vault).keepRecoveryRecords(in: place)
        #expect(try (read(name) == bytes) == isNewer)
        PolicyChange(tree).replacePolicies(.empty)
        RecoveryUpdates(tree.vault).keepRecoveryRecords(in: place)
        #expect((try? read(name) == bytes) ?? false == isNewer)
    }
}
