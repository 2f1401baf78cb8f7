import Glibc
import MAMCrypto
import MAMEnrollment
import MAMFormat
import MAMKeyring
import MAMModel
import MAMPolicy
import MAMStore
import MAMSystem
import MAMVault

/// A vault over a state directory of its own, with cheap key derivation.
final class TestVault {
    let path = "/tmp/mam-vault-\(getpid())-\(SecureRandom.bytes16())"
    let vault: Vault
    let ann: AccountID

    static func annIdentity() throws -> Identity { try Identity(name: "ann@contoso.com") }

    init(
        _ policy: String = "whenDeviceLocked", grace: Int = 0, multiIdentity: Bool = false,
        passphrase: String? = "secret"
    ) throws {
        startCrypto()
        mkdir(path, 0o700)
        var settings = Settings()
        settings.lockGraceSeconds = grace
        settings.multiIdentity = multiIdentity
        let document = Array(#"{"appDataEncryptionType": "\#(policy)"}"#.utf8)
        let cost = KeyDerivationCost(passes: 1, memoryByteCount: 8 << 20)
        let keyring = try Keyring(
            stateDirectory: openFile(path, O_RDONLY | O_DIRECTORY), cost: cost ?? .standard
        ) { _ in }
        vault = try Vault(
            settings: settings,
            policies: PolicyBook(documents: try PolicyDocument.decode(document)),
            keyring: keyring, stateDirectory: nil, log: .silent)
        ann = try vault.register(
            try Self.annIdentity(), user: 1000, passphrase: passphrase.map(secret))
    }

    deinit {
        if let process = try? spawn(["rm", "-rf", path].map { ByteString($0) }) {
            _ = try? wait(for: process)
        }
    }

    static let reason = WipeReason(.command, "a test")

    func wipe() throws -> WipeOutcome { try vault.wipe(ann, because: Self.reason) }

    func descriptor(_ name: String) throws -> Descriptor {
        try openFile("\(path)/\(name)", O_RDWR | O_CREAT, mode: 0o600)
    }

    /// A new file of an owner with some content.
    func makeFile(_ name: String, owner: Identity, _ content: String) throws -> VaultFile {
        let file = try vault.file(descriptor(name))
        try vault.begin(file, as: owner, asking: nil)
        try file.write(content)
        return file
    }

    /// Opens an existing file as a program would.
    func openExisting(_ name: String) throws -> VaultFile {
        let file = try vault.file(descriptor(name))
        try vault.admit(file)
        return file
    }
}

func secret(_ text: String) -> SecretBytes {
    Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) }
}

extension VaultFile {
    func write(_ text: String, at offset: Int64 = 0) throws {
        try Array(text.utf8).withUnsafeBytes { try write($0, at: offset) }
    }

    func text() throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = try bytes.withUnsafeMutableBytes { try read(into: $0, at: 0) }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

/// Stands where the mount is: runs an action when the vault purges.
struct ActionMount: VaultMount {
    let action: @Sendable () -> Void
    /// What a search for claims comes to.
    var search: @Sendable (_ isWanted: (StoredClaim) -> Bool) -> Bool? = { _ in false }
    /// What such a search finds unreadable.
    var unreadable: ByteString?

    func purge(
        until deadline: Deadline, _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64] {
        action()
        return []
    }

    func stragglers(_ nodes: [UInt64]) -> [Straggler] { [] }

    func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool { true }

    func sealAnew(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool { true }

    func hasClaim(
        where isWanted: (StoredClaim) -> Bool, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void
    ) -> Bool? {
        if let unreadable { failed(unreadable, .ioError) }
        return search(isWanted)
    }

    func removeFiles(
        where isWanted: (OwnedHeader) -> Bool, progressed: (WipeProgress) -> Void
    ) -> RemovedFiles {
        action()
        var nothing = RemovedFiles()
        nothing.isComplete = true
        return nothing
    }

    var isReadOnly: Bool { false }
}

extension VaultError {
    var isWindowClosed: Bool { if case .windowClosed = self { true } else { false } }
}

func isWindowClosed(_ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch let error as VaultError { return error.isWindowClosed } catch { return false }
}
