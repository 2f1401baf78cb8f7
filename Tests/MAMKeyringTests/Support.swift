import Foundation
import Glibc
import MAMCrypto
import MAMFormat
import MAMKeyring
import MAMModel
import MAMSystem
import Synchronization
import TestSupport
import Testing

/// A state directory of its own, with a clock that tests move; removed at the end.
final class TestState: Sendable {
    private let place: TemporaryDirectory
    var path: String { place.path }
    let directory: Descriptor
    private let seconds = Atomic<Int64>(1_000_000)
    private let heard = Mutex<[KeyringFinding]>([])

    init() throws {
        place = try TemporaryDirectory(inMemory: true)
        directory = try place.open()
    }

    var now: Int64 {
        get { seconds.load(ordering: .relaxed) }
        set { seconds.store(newValue, ordering: .relaxed) }
    }

    func advance(_ by: Int64) { seconds.add(by, ordering: .relaxed) }

    var findings: [KeyringFinding] { heard.withLock { $0 } }
    func forgetFindings() { heard.withLock { $0 = [] } }

    /// A daemon's start. 1 pass and 8 KiB: these tests are about bytes and delays.
    func start(
        passes: UInt32 = 1, memoryByteCount: UInt64 = 8192, chip: Chip = .absent
    ) throws -> Keyring {
        let cost = try #require(
            KeyDerivationCost(passes: passes, memoryByteCount: memoryByteCount))
        return try Keyring(
            stateDirectory: directory, cost: cost, chip: chip, clock: { [self] in now },
            report: { [self] finding in heard.withLock { $0.append(finding) } })
    }

    func names(in sub: String) throws -> [String] {
        guard let stream = opendir("\(path)/\(sub)") else { throw Errno.current }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func read(_ name: String) throws -> [UInt8] {
        try readSmallFile(at: directory.raw, name, maximumByteCount: 1 << 20)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = try openFile(
            at: directory.raw, name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try bytes.withUnsafeBytes { try writeFully(file.raw, from: $0, at: 0) }
    }

    func remove(_ name: String) { unlinkat(directory.raw, name, 0) }
}

/// The two files of an account.
func copies(of account: AccountID) -> [String] {
    ["keybags/\(account.bytes).keybag", "keybags/\(account.bytes).keybag.copy"]
}

/// Of a binary record: a change makes it one of a newer mamd, and no damage.
let versionBytes = 8..<10

func passphrase(_ text: String) -> SecretBytes { secret(Array(text.utf8)) }

func secret(_ bytes: [UInt8]) -> SecretBytes {
    bytes.withUnsafeBytes { SecretBytes(copying: $0) }
}

let ann = "ann@contoso.com"

extension Keyring {
    /// Registers ann with the passphrase `right`.
    func registerAnn(passphrase text: String? = "right") throws -> AccountID {
        try register(
            Identity(name: ann, objectID: "OID-1"), uid: 1000,
            passphrase: text.map { passphrase($0) })
    }

    func unlock(_ account: AccountID, _ text: String) throws(KeyringError) {
        try unlock(account, passphrase: passphrase(text))
    }
}

/// What a file's header holds of its key.
struct WrappedFileKey {
    var keyID: KeyID
    var protectionClass: ProtectionClass
    var ephemeralKey: EphemeralKey
    var bytes: [UInt8]
    var associatedData: [UInt8]
}

extension Keyring {
    func wrap(
        _ key: SecretBytes, for account: AccountID, _ protectionClass: ProtectionClass
    ) throws -> WrappedFileKey {
        let wrapper = try wrapper(account: account, protectionClass: protectionClass)
        var file = WrappedFileKey(
            keyID: wrapper.keyID, protectionClass: protectionClass,
            ephemeralKey: wrapper.ephemeralKey, bytes: [UInt8](repeating: 0, count: 64),
            associatedData: [UInt8](repeating: 0, count: 672))
        var span = file.associatedData.mutableSpan
        var raw = span.mutableBytes
        wrapper.ephemeralKey.write(to: &raw, at: 640)
        let data = file.associatedData
        try file.bytes.withUnsafeMutableBytes { into in
            try data.withUnsafeBytes { try wrapper.wrap(key, associatedData: $0, into: into) }
        }
        return file
    }

    func unwrap(_ file: WrappedFileKey) throws(KeyringError) -> SecretBytes {
        let result: Result<SecretBytes, KeyringError> = file.bytes.withUnsafeBytes { wrapped in
            file.associatedData.withUnsafeBytes { data in
                do throws(KeyringError) {
                    return .success(
                        try unwrap(
                            wrapped, keyID: file.keyID, protectionClass: file.protectionClass,
                            ephemeralKey: file.ephemeralKey, associatedData: data))
                } catch { return .failure(error) }
            }
        }
        return try result.get()
    }
}
