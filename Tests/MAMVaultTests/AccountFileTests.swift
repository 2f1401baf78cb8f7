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

/// Whatever the daemon keeps of an account is named by `AccountFile`, and gone after a wipe.
@Suite struct AccountFileTests {
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    /// All files below, by their paths from there.
    private func files(in directory: String = "") throws -> Set<String> {
        let place = try openFile(place.path(directory), O_RDONLY | O_DIRECTORY)
        var found: Set<String> = []
        for name in try entries(of: place.raw).compactMap(\.text) {
            let isDirectory =
                try status(at: place.raw, name, followLinks: false).st_mode & S_IFMT == S_IFDIR
            let inside = directory + name
            if isDirectory {
                found.formUnion(try files(in: "\(inside)/"))
            } else {
                found.insert(inside)
            }
        }
        return found
    }

    private func start() throws -> Tree {
        let directory = try place.open()
        let (key, _) = try RecoveryKeyFile.make(passphrase: nil)
        let policy = #"{"mamdRecoveryPublicKey": "\#(key.text)", "previousPinBlockCount": 3}"#
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8192)
        let vault = try Vault(
            settings: Settings(),
            policies: PolicyBook(documents: try PolicyDocument.decode(Array(policy.utf8))),
            keyring: try Keyring(stateDirectory: directory, cost: cost ?? .standard) { _ in },
            stateDirectory: directory.raw, log: .silent)
        RecoveryUpdates(vault).keepRecoveryRecords(in: directory)
        for directory in ["backing", "backing/.mamd"] { mkdir(place.path(directory), 0o700) }
        let tree = try Tree(
            vault: vault, root: openFile(place.path("backing"), openPathOnly | O_DIRECTORY),
            workDirectory: nil, mountPoint: ByteString(""), isReadOnly: false
        ) { _ in }
        tree.setServed(true)
        return tree
    }

    /// Leaves a file of every kind but a wipe.
    private func use(_ tree: Tree) throws -> AccountID {
        let old = "a passphrase 741"
        let ann = try Registration(tree).register(
            try TestVault.annIdentity(), user: 1000, passphrase: secret(old))
        try Passphrases(tree).changePassphrase(
            of: ann, from: secret(old), to: secret("another passphrase 852"))
        _ = try? Unlock(tree).unlock(ann, passphrase: secret("wrong"))
        _ = try tree.vault.keyring.askForReset(ann)
        Enrollment(tree).saveEnrollments()
        return ann
    }

    @Test func `what an account leaves on disk is on the list, and a wipe takes it`() throws {
        let tree = try start()
        let before = try files()
        let ann = try use(tree)
        let new = try files().subtracting(before).subtracting(["enrollment/workspace"])
        let unnamed = new.filter { path in
            !AccountFile.allCases.contains { $0.isAt(path, of: ann) }
        }
        #expect(unnamed.isEmpty)
        for file in AccountFile.allCases where file != .wipe {
            #expect(new.contains { file.isAt($0, of: ann) }, "\(file)")
        }
        #expect(try Wipe(tree).wipe(ann, because: TestVault.reason).isComplete)
        #expect(try files().filter { $0.contains("\(ann.bytes)") } == [])
    }
}
