// One account whose keys are at hand: what the checks seal with, and read with as the product does.

import Glibc
import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import MAMStore
import MAMSystem

/// A keyring over a state directory of its own.
struct KnownKeys: HeaderSealer {
    static let shared = prepared { try KnownKeys() }

    let keyring: Keyring
    let account: AccountID

    private init() throws {
        let directory = TemporaryDirectory()
        keyring = try Keyring(
            stateDirectory: openFile(directory.path, O_RDONLY | O_DIRECTORY), cost: cheapest,
            clock: { 1_000_000 }, report: { _ in })
        account = try keyring.register(
            Identity(name: "ann@contoso.com", objectID: "OID-1"), uid: 1000, passphrase: nil)
    }

    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader {
        let wrapper: FileKeyWrapper
        do throws(KeyringError) {
            wrapper = try keyring.wrapper(
                account: account, protectionClass: header.sealing?.protectionClass ?? .none)
        } catch { throw .keyUnavailable }
        var written = header
        written.sealing?.keyID = wrapper.keyID
        written.sealing?.ephemeralKey = wrapper.ephemeralKey
        try written.encode(into: bytes) { associatedData, wrapped throws(SealError) in
            try wrapper.wrap(key, associatedData: associatedData, into: wrapped)
        }
        return written
    }

    func unwrap(
        _ header: FileHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(StoreError) -> SecretBytes {
        guard let sealing = header.sealing else { throw .keyUnavailable }
        do throws(KeyringError) {
            return try keyring.unwrap(
                .init(rebasing: bytes[FileHeader.wrappedKeyRange]), keyID: sealing.keyID,
                protectionClass: sealing.protectionClass, ephemeralKey: sealing.ephemeralKey,
                associatedData: .init(rebasing: bytes[..<FileHeader.associatedByteCount]))
        } catch { throw .damaged(block: 0) }
    }

    /// A file of this account, with its key.
    func open(_ file: Descriptor, _ rule: EndMarkRule) throws(StoreError) -> StoredFile {
        let stored = try StoredFile(opening: file, endMarkRule: rule)
        try stored.provideKey { header, bytes throws(StoreError) in try unwrap(header, bytes) }
        return stored
    }
}

/// 1 pass and 8 KiB: the checks are about bytes, not about guessing.
let cheapest = KeyDerivationCost(passes: 1, memoryByteCount: 8192) ?? .standard

/// In memory: a sync costs nothing there. Removed when the process ends.
struct TemporaryDirectory {
    let path: String

    init() {
        startCrypto()
        path = "/dev/shm/mamd-fuzz-\(getpid())-\(SecureRandom.bytes16())"
        mkdir(path, 0o700)
        Self.all.append(path)
    }

    private nonisolated(unsafe) static var all: [String] = {
        atexit { TemporaryDirectory.removeAll() }
        return []
    }()

    private static func removeAll() {
        guard let process = try? spawn((["rm", "-rf"] + all).map { ByteString($0) }) else { return }
        _ = try? wait(for: process)
    }
}
