// The destination of decrypted content; and streams that are stored in files.

internal import Glibc
internal import MAMFormat
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
            do throws(Errno) { try writeFully(file.raw, from: bytes, at: offset) } catch {
                throw .system(error)
            }
        case .stream(let ends): try ends.write(bytes, while: isWanted)
        }
    }
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
