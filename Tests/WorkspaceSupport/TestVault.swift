// A vault, its tree and one account, for tests of single steps.

internal import Glibc
internal import MAMCrypto
package import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault
package import MAMWorkspace
internal import TestSupport

/// A vault over a state directory of its own, with cheap key derivation and Ann's account, and a
/// tree over a backing directory beside it. The tree is not served before the test says so.
package final class TestVault {
    private let place: TemporaryDirectory
    /// The backing directory.
    package var path: String { place.path("backing") }
    package let vault: Vault
    package let tree: Tree
    package let cache = RecordingCache()
    package let ann: AccountID

    package static func annIdentity() throws -> Identity { try Identity(name: "ann@contoso.com") }

    package init(
        _ policy: String = "whenDeviceLocked", grace: Int = 0, multiIdentity: Bool = false,
        multiManagedIdentities: Bool = false,
        passphrase: String? = "secret", threatProbe: [String]? = nil
    ) throws {
        startCrypto()
        place = try TemporaryDirectory()
        for name in ["state", "backing", "backing/.mamd"] { mkdir(place.path(name), 0o700) }
        var settings = Settings()
        settings.lockGraceSeconds = grace
        settings.multiIdentity = multiIdentity
        settings.multiManagedIdentities = multiManagedIdentities
        settings.probes.threatLevel = threatProbe
        let document = Array(#"{"appDataEncryptionType": "\#(policy)"}"#.utf8)
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8 << 20)
        let keyring = try Keyring(
            stateDirectory: openFile(place.path("state"), O_RDONLY | O_DIRECTORY),
            cost: cost ?? .standard
        ) { _ in }
        vault = try Vault(
            settings: settings,
            policies: PolicyBook(documents: try PolicyDocument.decode(document)),
            keyring: keyring, stateDirectory: nil, log: .silent)
        tree = try Self.makeTree(of: vault, over: place.path("backing"), cache)
        ann = try Registration(tree).register(
            try Self.annIdentity(), user: 1000, passphrase: passphrase.map(secret))
    }

    deinit {
        tree.setServed(false)
    }

    private static func makeTree(
        of vault: Vault, over path: String, _ cache: RecordingCache, isReadOnly: Bool = false
    ) throws -> Tree {
        let tree = try Tree(
            vault: vault, root: openFile(path, openPathOnly | O_DIRECTORY), workDirectory: nil,
            mountPoint: ByteString("/nowhere"), isReadOnly: isReadOnly
        ) { _ in }
        try tree.attach(cache) { Transport(.device) }
        return tree
    }

    /// As a mount does. `whenPurged`: what happens when the kernel is asked for what it has.
    package func serve(whenPurged: (@Sendable () -> Void)? = nil) {
        if let whenPurged {
            cache.onPurge { _, _ in
                whenPurged()
                return []
            }
        }
        tree.setServed(true)
    }

    /// The same files where nothing can be written.
    package func makeReadOnlyTree() throws -> Tree {
        try Self.makeTree(of: vault, over: path, cache, isReadOnly: true)
    }

    package static let reason = WipeReason(.command, "a test")

    package func wipe() throws -> WipeOutcome { try Wipe(tree).wipe(ann, because: Self.reason) }

    package func descriptor(_ name: String) throws -> Descriptor {
        try openFile("\(path)/\(name)", O_RDWR | O_CREAT, mode: 0o600)
    }

    /// A new file of an owner with some content.
    package func makeFile(_ name: String, owner: Identity, _ content: String) throws -> VaultFile {
        let file = try Files(vault).file(descriptor(name))
        try Files(vault).begin(file, as: owner, asking: nil)
        try file.write(content)
        return file
    }

    /// Opens an existing file as a program would.
    package func openExisting(_ name: String) throws -> VaultFile {
        let file = try Files(vault).file(descriptor(name))
        try Files(vault).admit(file)
        return file
    }
}

extension VaultFile {
    package func write(_ text: String, at offset: Int64 = 0) throws {
        try Array(text.utf8).withUnsafeBytes { try write($0, at: offset) }
    }

    package func text() throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = try bytes.withUnsafeMutableBytes { try read(into: $0, at: 0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

extension VaultError {
    package var isWindowClosed: Bool { if case .windowClosed = self { true } else { false } }
}

package func isWindowClosed(_ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch let error as VaultError { return error.isWindowClosed } catch { return false }
}
