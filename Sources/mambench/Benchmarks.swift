// The operations that every request is made of.

import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

func benchmarkCipher() {
    let cipher = BlockCipher(key: .random(count: 32))
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 * 4096, alignment: 4096)
    defer { memory.deallocate() }
    SecureRandom.fill(memory)
    let plain = UnsafeRawBufferPointer(rebasing: memory[..<Layout.payloadByteCount])
    guard let nonce = memory.baseAddress.map({ $0 + 2 * 4096 }) else { return }
    let sealed = nonce - 4096
    let associated = UnsafeRawBufferPointer(start: nonce + 64, count: BlockSeal.associatedByteCount)
    cipher.withSession { session in
        measure("seal a block", count: 20_000, byteCount: plain.count) {
            try session.seal(
                plain, nonce: nonce, associatedData: associated, into: sealed, tag: nonce + 32)
        }
        let ciphertext = UnsafeRawBufferPointer(start: sealed, count: plain.count)
        measure("open a block", count: 20_000, byteCount: plain.count) {
            try session.open(
                ciphertext, nonce: nonce, associatedData: associated, tag: nonce + 32,
                into: nonce + 4096)
        }
    }
    let nonces = UnsafeMutableRawBufferPointer(rebasing: memory[..<4096])
    measure("random bytes for 256 nonces", count: 5000) { SecureRandom.fill(nonces) }
}

func benchmarkHeader() {
    let header = FileHeader(fileID: FileID(SecureRandom.bytes16()), owner: .nobody, sealing: nil)
    var bytes = [UInt8](repeating: 0, count: FileHeader.byteCount)
    measure("encode a header", count: 5000) {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        header.encode(into: &raw)
        FileHeader.finish(&raw)
    }
    measure("decode a header", count: 5000) { _ = try FileHeader.decode(bytes.span.bytes) }
}

/// Wraps under one key, as the keyring does for one class.
private struct BenchSealer: HeaderSealer {
    let kek = SecretBytes.random(count: 32)

    func seal(
        _ header: FileHeader, key: SecretBytes, into bytes: UnsafeMutableRawBufferPointer
    ) throws(StoreError) -> FileHeader {
        try header.encode(into: bytes) { associatedData, wrapped throws(SealError) in
            try KeyWrap.wrap(key, under: kek, associatedData: associatedData, into: wrapped)
        }
        return header
    }
}

func benchmarkFile() {
    let path = "/tmp/mambench-\(getpid())"
    defer { unlink(path) }
    let sealer = BenchSealer()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    SecureRandom.fill(buffer)
    let whole = UnsafeRawBufferPointer(buffer)
    let small = UnsafeRawBufferPointer(rebasing: whole[..<4096])
    do {
        let file = try StoredFile(opening: openFile(path, O_RDWR | O_CREAT, mode: 0o600))
        let header = FileHeader(
            fileID: FileID(SecureRandom.bytes16()), owner: .nobody,
            sealing: .init(
                protectionClass: .complete, keyID: .none, isSparse: false, ephemeralKey: .zero))
        measure("begin a managed file", count: 500) {
            try file.startOver(as: header, key: .random(count: 32), sealer: sealer)
        }
        measure("write 1 MiB", count: 100, byteCount: 1 << 20) {
            try file.write(whole, at: 0, sealer: sealer)
        }
        measure("read 1 MiB", count: 100, byteCount: 1 << 20) {
            _ = try file.read(into: buffer, at: 0)
        }
        measure("overwrite 4 KiB in place", count: 5000, byteCount: 4096) {
            try file.write(small, at: 8192, sealer: sealer)
        }
        measure("read 4 KiB", count: 5000, byteCount: 4096) {
            _ = try file.read(into: .init(rebasing: buffer[..<4096]), at: 8192)
        }
    } catch {
        print("\(path): \(error)")
        exit(1)
    }
}
