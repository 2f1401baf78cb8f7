// The destination of decrypted content; and streams that are stored in files.

internal import Glibc
internal import MAMFormat
internal import MAMModel
package import MAMStore
package import MAMSystem

/// A file, which is written at any offset, or a stream.
package enum PlainSink {
    case file(Descriptor)
    case stream(any StreamEnds)

    /// `isWanted`: see ``StreamEnds``.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, while isWanted: () -> Bool
    ) throws(StoreError) {
        switch self {
        case .file(let file):
            do throws(Errno) { try writeSparsely(bytes, at: offset, to: file) } catch {
                throw .system(error)
            }
        case .stream(let ends): try ends.write(bytes, while: isWanted)
        }
    }

    private static let pieceByteCount = 1 << 16

    /// Pieces of zeros become holes: a small sealed file may show terabytes of them. The file must
    /// have been empty, and is written in order.
    private func writeSparsely(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, to file: Descriptor
    ) throws(Errno) {
        var unwritten = 0
        func write(until end: Int) throws(Errno) {
            guard unwritten < end else { return }
            let part = UnsafeRawBufferPointer(rebasing: bytes[unwritten..<end])
            try writeFully(file.raw, from: part, at: offset + Int64(unwritten))
        }
        for place in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
            let end = min(place + Self.pieceByteCount, bytes.count)
            guard isZero(UnsafeRawBufferPointer(rebasing: bytes[place..<end])) else { continue }
            try write(until: place)
            unwritten = end
        }
        try write(until: bytes.count)
        if unwritten == bytes.count { try setSize(file.raw, offset + Int64(bytes.count)) }
    }
}

/// Of at least one byte.
private func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    return bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0
}

/// Both ends of a stream stored in a file, read from its start whatever its offset.
final class StreamFile: StreamEnds {
    private let source: Descriptor
    private let sink: PlainSink
    private var readCount: Int64 = 0
    private var writtenCount: Int64 = 0

    init(_ source: Descriptor, to sink: PlainSink) { (self.source, self.sink) = (source, sink) }

    /// True for a file that begins with a stream's magic.
    static func isStream(_ source: Descriptor) throws(Errno) -> Bool {
        try readHead(of: source.raw, byteCount: streamMagic.count) == streamMagic
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int {
        guard isWanted() else { throw .keyUnavailable }
        do throws(Errno) {
            let count = try readFully(source.raw, into: buffer, at: readCount)
            readCount += Int64(count)
            return count
        } catch { throw .system(error) }
    }

    func write(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) {
        try sink.write(bytes, at: writtenCount, while: isWanted)
        writtenCount += Int64(bytes.count)
    }
}
