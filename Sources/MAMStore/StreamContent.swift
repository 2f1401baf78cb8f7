// A stream's content: 64 KiB chunks, each sealed with its index and a flag for the last
// (docs/FORMAT.md, section 6).

internal import Glibc
package import MAMCrypto
package import MAMFormat
internal import MAMModel
internal import MAMSystem

/// A stream's encoded header.
package struct StreamHead: Sendable {
    package let header: FileHeader
    package let bytes: [UInt8]

    /// `wrap` gets the bytes that its tag covers, and fills the 64 bytes after them. An unmanaged
    /// stream has no key to wrap.
    package init(
        encoding header: FileHeader,
        wrap: (
            _ associatedData: UnsafeRawBufferPointer, _ wrapped: UnsafeMutableRawBufferPointer
        ) throws(SealError) -> Void = { _, _ throws(SealError) in }
    ) throws(StoreError) {
        var bytes = [UInt8](repeating: 0, count: StreamForm.byteCount(of: header))
        var span = bytes.mutableSpan
        try span.withUnsafeMutableBytes { buffer throws(StoreError) in
            var raw = buffer.mutableBytes
            StreamForm.encode(header, into: &raw)
            let range = StreamForm.wrappedKeyRange(of: header)
            if header.isManaged {
                do throws(SealError) {
                    try wrap(
                        .init(rebasing: buffer[..<range.lowerBound]),
                        .init(rebasing: buffer[range]))
                } catch { throw .cipherFailure }
            }
            StreamForm.finish(&raw)
        }
        self.init(header: header, bytes: bytes)
    }

    init(header: FileHeader, bytes: [UInt8]) {
        self.header = header
        self.bytes = bytes
    }

    /// Lends the key wrap and the bytes that it covers.
    package func withWrap<Value>(
        _ body: (
            _ wrapped: UnsafeRawBufferPointer, _ associatedData: UnsafeRawBufferPointer
        ) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let range = StreamForm.wrappedKeyRange(of: header)
        return try bytes.span.withUnsafeBytes { bytes throws(StoreError) in
            try body(
                .init(rebasing: bytes[range]), .init(rebasing: bytes[..<range.lowerBound]))
        }
    }
}

extension StreamInput {
    /// Seals the rest of the input under the head's key. An empty input produces no output, not
    /// even the head. Returns the number of plain bytes.
    package func seal(_ head: StreamHead, _ cipher: BlockCipher) throws(StoreError) -> Int64 {
        var isFirst = true
        let out = UnsafeMutableRawBufferPointer.allocate(
            byteCount: StreamForm.sealedChunkByteCount, alignment: 4096)
        defer { out.deallocate() }
        return try eachChunk(of: StreamForm.chunkByteCount) {
            chunk, plain, isLast throws(StoreError) in
            if plain.isEmpty { return 0 }
            if isFirst { try send(head.bytes) }
            isFirst = false
            try sealing { () throws(SealError) in
                try cipher.seal(plain, head, chunk, isLast, into: out)
            }
            let byteCount = plain.count + BlockSeal.tagByteCount
            try ends.write(.init(rebasing: out[..<byteCount]), while: isWanted)
            return plain.count
        }
    }

    /// Writes an unmanaged stream's head and the rest of the input. An empty input produces no
    /// output. Returns the number of plain bytes.
    package func sendPlain(_ head: StreamHead) throws(StoreError) -> Int64 {
        guard try fillSome() > 0 else { return 0 }
        try send(head.bytes)
        return try passThrough()
    }

    /// Opens everything after the head. Writes only verified bytes: before damage, all chunks up to
    /// it. Returns the number of plain bytes.
    package func open(_ head: StreamHead, _ cipher: BlockCipher) throws(StoreError) -> Int64 {
        try eachChunk(of: StreamForm.sealedChunkByteCount) {
            chunk, sealed, isLast throws(StoreError) in
            let count = sealed.count - BlockSeal.tagByteCount
            guard count > 0 else { throw .damaged(block: chunk) }
            do throws(SealError) {
                try cipher.open(sealed, head, chunk, isLast)
            } catch {
                if case .notAuthentic = error { throw .damaged(block: chunk) }
                throw cipher.key.isErased ? .keyUnavailable : .cipherFailure
            }
            try ends.write(.init(rebasing: sealed[..<count]), while: isWanted)
            return count
        }
    }

    private func send(_ bytes: [UInt8]) throws(StoreError) {
        try bytes.span.withUnsafeBytes { bytes throws(StoreError) in
            try ends.write(bytes, while: isWanted)
        }
    }

    private func sealing(_ body: () throws(SealError) -> Void) throws(StoreError) {
        do throws(SealError) { try body() } catch { throw .cipherFailure }
    }

    /// Calls `body` with each piece of `size` bytes and the rest at the end; adds up the results.
    private func eachChunk(
        of size: Int,
        _ body: (Int64, UnsafeMutableRawBufferPointer, _ isLast: Bool) throws(StoreError) -> Int
    ) throws(StoreError) -> Int64 {
        var (chunk, total): (Int64, Int64) = (0, 0)
        while true {
            let isLast = try fill(size + 1) <= size
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: bytes[..<min(size, bytes.count)])
            // Checked after every wait: the key may be about to be dropped.
            guard isWanted() else { throw .keyUnavailable }
            total += Int64(try body(chunk, piece, isLast))
            if isLast { return total }
            drop(size)
            chunk += 1
        }
    }
}

extension BlockCipher {
    /// Into a buffer with space for the tag at its end.
    fileprivate func seal(
        _ plain: UnsafeMutableRawBufferPointer, _ head: StreamHead, _ chunk: Int64,
        _ isLast: Bool, into out: UnsafeMutableRawBufferPointer
    ) throws(SealError) {
        guard let start = out.baseAddress else { throw .failure }
        try withChunk(head, chunk, isLast) { session, nonce, associated throws(SealError) in
            try session.seal(
                .init(plain), nonce: nonce, associatedData: associated, into: start,
                tag: start + plain.count)
        }
    }

    /// In place.
    fileprivate func open(
        _ sealed: UnsafeMutableRawBufferPointer, _ head: StreamHead, _ chunk: Int64,
        _ isLast: Bool
    ) throws(SealError) {
        guard let start = sealed.baseAddress else { throw .failure }
        let count = sealed.count - BlockSeal.tagByteCount
        try withChunk(head, chunk, isLast) { session, nonce, associated throws(SealError) in
            try session.open(
                .init(rebasing: sealed[..<count]), nonce: nonce, associatedData: associated,
                tag: start + count, into: start)
        }
    }

    private func withChunk(
        _ head: StreamHead, _ chunk: Int64, _ isLast: Bool,
        _ body: (
            borrowing Session, _ nonce: UnsafeRawPointer, _ associated: UnsafeRawBufferPointer
        ) throws(SealError) -> Void
    ) throws(SealError) {
        var words: InlineArray<32, UInt8> = .init(repeating: 0)
        var span = words.mutableSpan
        var raw = span.mutableBytes
        BlockSeal.writeAssociatedData(file: head.header.fileID, block: chunk, to: &raw)
        var nonce: InlineArray<16, UInt8> = .init(repeating: 0)
        var nonceSpan = nonce.mutableSpan
        var nonceRaw = nonceSpan.mutableBytes
        StreamForm.writeNonce(chunk: chunk, isLast: isLast, to: &nonceRaw)
        let result: Result<Void, SealError> = withUnsafeBytes(of: &words) { associated in
            withUnsafeBytes(of: &nonce) { nonce in
                withSession { session in
                    guard let start = nonce.baseAddress else { return .failure(.failure) }
                    do throws(SealError) {
                        return .success(
                            try body(
                                session, start,
                                associated))
                    } catch { return .failure(error) }
                }
            }
        }
        try result.get()
    }
}
