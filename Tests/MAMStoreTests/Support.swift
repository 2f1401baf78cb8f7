import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem
import TestSupport

/// Wraps every file key under one key: what the vault does over the keyring, without accounts.
struct TestSealer: HeaderSealer {
    let kek: SecretBytes

    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader {
        try header.encode(into: bytes) { associatedData, wrapped throws(SealError) in
            try KeyWrap.wrap(key, under: kek, associatedData: associatedData, into: wrapped)
        }
        return header
    }

    func unwrap(_ header: FileHeader, _ bytes: UnsafeRawBufferPointer) throws(StoreError)
        -> SecretBytes
    {
        do throws(SealError) {
            return try KeyWrap.unwrap(
                .init(rebasing: bytes[FileHeader.wrappedKeyRange]), under: kek,
                associatedData: .init(rebasing: bytes[..<FileHeader.associatedByteCount]))
        } catch { throw .damaged(block: 0) }
    }
}

/// A file of its own, removed at the end.
final class TestFile {
    private let place: TemporaryFile
    var path: String { place.path }
    let sealer: TestSealer
    var stored: StoredFile

    static func makeDescriptor(_ path: String) throws -> Descriptor {
        try openFile(path, O_RDWR | O_CREAT, mode: 0o600)
    }

    init(managed: Bool = true, sealer: TestSealer? = nil) throws {
        startCrypto()
        place = try TemporaryFile()
        self.sealer = sealer ?? TestSealer(kek: .random(count: 32))
        stored = try StoredFile(opening: place.descriptor)
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: try Identity(name: "ann@contoso.com"),
            sealing: managed
                ? .init(
                    protectionClass: .complete, keyID: KeyID(Bytes16(high: 1, low: 2)),
                    isSparse: false, ephemeralKey: .zero)
                : nil)
        try stored.startOver(
            as: header, key: managed ? .random(count: 32) : nil, sealer: self.sealer)
    }

    /// Reads the file again from disk alone.
    func reopen(rule: EndMarkRule = .refuse) throws(StoreError) -> StoredFile {
        let descriptor: Descriptor
        do { descriptor = try Self.makeDescriptor(path) } catch { throw .system(.ioError) }
        let file = try StoredFile(opening: descriptor, endMarkRule: rule)
        try file.provideKey { header, bytes throws(StoreError) in try sealer.unwrap(header, bytes) }
        return file
    }

    func write(_ bytes: [UInt8], at offset: Int64) throws(StoreError) {
        try bytes.withUnsafeBytesTyped { buffer throws(StoreError) in
            try stored.write(buffer, at: offset, sealer: sealer)
        }
    }

    func truncate(to size: Int64) throws(StoreError) {
        try stored.truncate(to: size, sealer: sealer)
    }

    var physicalBytes: [UInt8] {
        get throws { try readSmallFile(path, maximumByteCount: 64 << 20) }
    }

    func replacePhysical(_ bytes: [UInt8]) throws {
        let file = try openFile(path, O_RDWR | O_TRUNC)
        try bytes.withUnsafeBytesTyped { buffer throws(Errno) in
            try writeFully(file.raw, from: buffer, at: 0)
        }
    }
}

extension StoredFile {
    /// All plain bytes.
    func contents() throws(StoreError) -> [UInt8] {
        try bytes(in: 0..<size)
    }

    func bytes(in range: Range<Int64>) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: range.count)
        let result: Result<Int, StoreError> = bytes.withUnsafeMutableBytes { buffer in
            do throws(StoreError) {
                return .success(try read(into: buffer, at: range.lowerBound))
            } catch { return .failure(error) }
        }
        bytes.removeLast(bytes.count - (try result.get()))
        return bytes
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps a typed error.
    func withUnsafeBytesTyped<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let result: Result<Void, Failure> = withUnsafeBytes { buffer in
            do throws(Failure) { return .success(try body(buffer)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

/// Repeatable pseudo-random numbers (SplitMix64), so that a failure can be run again.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var numbers = SeededNumbers(state: seed)
    var words: [UInt64] = []
    while words.count * 8 < count { words.append(numbers.next()) }
    return words.withUnsafeBytes { [UInt8]($0.prefix(count)) }
}
