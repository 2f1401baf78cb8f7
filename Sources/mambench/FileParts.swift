// Headers, and the content of one managed file.

import Glibc
import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

/// Wraps keys under one key, as the keyring does for a class.
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

func managedHeader() throws -> FileHeader {
    FileHeader(
        fileID: FileID(SecureRandom.bytes16()), owner: try Identity(name: "ann@contoso.com"),
        sealing: .init(
            protectionClass: .complete, keyID: .none, isSparse: false, ephemeralKey: .zero))
}

func measureHeader(_ bench: Bench) throws {
    let header = FileHeader(
        fileID: FileID(SecureRandom.bytes16()), owner: try Identity(name: "ann@contoso.com"),
        sealing: nil)
    var bytes = [UInt8](repeating: 0, count: FileHeader.byteCount)
    try bench.measure("encode a header", count: 5000) { _ in
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        header.encode(into: &raw)
        FileHeader.finish(&raw)
    }
    try bench.measure("decode a header", count: 5000) { _ in
        _ = try FileHeader.sharing(bytes.span.bytes)
    }
}

func measureFile(_ bench: Bench, in directory: ScratchDirectory) throws {
    let sealer = BenchSealer()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    SecureRandom.fill(buffer)
    let whole = UnsafeRawBufferPointer(buffer)
    let small = UnsafeMutableRawBufferPointer(rebasing: buffer[..<4096])
    let descriptor = try openFile(directory.path("file"), O_RDWR | O_CREAT, mode: 0o600)
    let file = try StoredFile(opening: descriptor)
    let header = try managedHeader()
    try bench.measure("begin a managed file", count: 200) { _ in
        try file.startOver(as: header, key: .random(count: 32), sealer: sealer)
    }
    try bench.measure("write 1 MiB", count: 50, byteCount: 1 << 20) { _ in
        try file.write(whole, at: 0, sealer: sealer)
    }
    try bench.measure("read 1 MiB", count: 50, byteCount: 1 << 20) { _ in
        _ = try file.read(into: buffer, at: 0)
    }
    try bench.measure("overwrite 4 KiB in place", count: 2000, byteCount: 4096) { _ in
        try file.write(UnsafeRawBufferPointer(small), at: 8192, sealer: sealer)
    }
    try bench.measure("read 4 KiB", count: 2000, byteCount: 4096) { _ in
        _ = try file.read(into: small, at: 8192)
    }
    try bench.measure("open a stored file", count: 5000) { _ in
        _ = try StoredFile(opening: descriptor)
    }
}
