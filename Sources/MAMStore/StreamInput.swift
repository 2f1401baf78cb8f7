// Buffers pipe input by the chunk.

internal import Glibc
package import MAMFormat
internal import MAMModel

/// A stream's source and destination.
///
/// Both call `isWanted` repeatedly while they wait, and throw `.keyUnavailable` once it is false.
package protocol StreamEnds {
    /// Fills part of the buffer; returns 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int

    func write(_ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool) throws(StoreError)
}

/// The source with the bytes read but not yet used, in constant memory.
package final class StreamInput {
    let ends: any StreamEnds
    /// Polled while waiting: false once the account's window closes.
    package var isWanted: () -> Bool = { true }
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity, alignment: 4096)
    private var range = 0..<0

    /// A sealed chunk and one more byte, which shows that it is not the last.
    private static let capacity = StreamForm.sealedChunkByteCount + 1

    package init(_ ends: any StreamEnds) { self.ends = ends }

    deinit {
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        buffer.deallocate()
    }

    /// The buffered bytes.
    var bytes: UnsafeMutableRawBufferPointer { .init(rebasing: buffer[range]) }

    /// Reads until `count` bytes are buffered or the input ends; returns the number buffered. Never
    /// reads more than that.
    func fill(_ count: Int) throws(StoreError) -> Int {
        if range.lowerBound + count > buffer.count { moveToFront() }
        while range.count < count {
            let room = buffer[range.upperBound..<range.lowerBound + count]
            let read = try ends.read(into: .init(rebasing: room), while: isWanted)
            if read == 0 { break }
            range = range.lowerBound..<range.upperBound + read
        }
        return range.count
    }

    /// Reads whatever comes next; 0 at the end.
    func fillSome() throws(StoreError) -> Int {
        guard range.isEmpty else { return range.count }
        let read = try ends.read(into: buffer, while: isWanted)
        range = 0..<read
        return read
    }

    func drop(_ count: Int) {
        range = range.lowerBound + count..<range.upperBound
        if range.isEmpty { range = 0..<0 }
    }

    private func moveToFront() {
        let left = range.count
        if let base = buffer.baseAddress, left > 0 {
            memmove(base, base + range.lowerBound, left)
        }
        range = 0..<left
    }

    /// Copies the rest of the input unchanged. Returns the number of bytes.
    package func passThrough() throws(StoreError) -> Int64 {
        var total: Int64 = 0
        while try fillSome() > 0 {
            try ends.write(.init(bytes), while: isWanted)
            total += Int64(bytes.count)
            drop(bytes.count)
        }
        return total
    }
}

extension StreamInput {
    /// Consumes the header; nil, consuming nothing, if there is none.
    package func readHead() throws(StoreError) -> StreamHead? {
        let count = min(try fill(streamMagic.count), streamMagic.count)
        let start = UnsafeRawBufferPointer(bytes)
        guard count >= FileKind.distinctivePrefixByteCount,
            start.bytes.begins(with: streamMagic, count: count)
        else { return nil }
        _ = try fill(StreamForm.prefixByteCount)
        let prefix = UnsafeRawBufferPointer(bytes)
        let byteCount = try heading { () throws(HeaderError) in
            try StreamForm.byteCount(ofPrefix: prefix.bytes)
        }
        let atHand = try fill(byteCount)
        guard atHand >= byteCount else { throw .header(.truncated(byteCount: atHand)) }
        let head = Array(bytes[..<byteCount])
        let header = try heading { () throws(HeaderError) in
            try StreamForm.decode(head.span.bytes)
        }
        drop(byteCount)
        return StreamHead(header: header, bytes: head)
    }
}

extension StreamInput {
    /// The header of input in the file form, which stays buffered; nil for anything else.
    package func fileHeader() throws(StoreError) -> FileHeader? {
        guard try fill(fileMagic.count) >= fileMagic.count, bytes.starts(with: fileMagic),
            try fill(FileHeader.byteCount) >= FileHeader.byteCount
        else { return nil }
        return try? FileHeader.decode(UnsafeRawBufferPointer(bytes).bytes)
    }
}

private func heading<Value>(
    _ body: () throws(HeaderError) -> Value
) throws(StoreError) -> Value {
    do throws(HeaderError) { return try body() } catch { throw .header(error) }
}

package final class MemoryEnds: StreamEnds {
    private var rest: ArraySlice<UInt8>
    package private(set) var output: [UInt8] = []

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int {
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) { output.append(contentsOf: bytes) }
}
