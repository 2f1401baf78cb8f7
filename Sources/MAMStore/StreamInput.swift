// What arrives through a pipe, as much of it at hand as one chunk takes.

internal import Glibc
package import MAMFormat
internal import MAMModel

/// Where a stream comes from and where it goes.
///
/// Both ask `isWanted` time and again while they wait, and throw `.keyUnavailable` once it is
/// false.
package protocol StreamEnds {
    /// Fills some of the buffer; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int

    func write(_ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool) throws(StoreError)
}

/// The reading end with what was read and not yet used, in constant memory.
package final class StreamInput {
    let ends: any StreamEnds
    /// Asked while it waits: false once the account's window closes.
    package var isWanted: () -> Bool = { true }
    private let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: capacity, alignment: 4096)
    private var range = 0..<0

    /// A sealed chunk, and the byte after it that tells that it is not the last.
    private static let capacity = StreamForm.sealedChunkByteCount + 1

    package init(_ ends: any StreamEnds) { self.ends = ends }

    deinit {
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
        buffer.deallocate()
    }

    /// What is at hand.
    var bytes: UnsafeMutableRawBufferPointer { .init(rebasing: buffer[range]) }

    /// Reads until `count` bytes are at hand or nothing follows, and returns how many are. It never
    /// takes more than that from the source.
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

    /// Whatever comes next, after what is at hand; 0 at the end.
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

    /// Hands on all that follows, as it is. Returns how much that was.
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
    /// Takes the header away; nil, and nothing is taken, where there is none of ours.
    package func readHead() throws(StoreError) -> StreamHead? {
        let count = min(try fill(streamMagic.count), streamMagic.count)
        let start = UnsafeRawBufferPointer(bytes)
        guard count >= FileKind.distinctivePrefixByteCount,
            StreamForm.hasMagic(start.bytes, count: count)
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
    /// The header of what is in the form of files, and stays at hand; nil for anything else.
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
