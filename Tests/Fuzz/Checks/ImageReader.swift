// Reads a sealed image as the product does, and compares with what is known of its blocks.

import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

struct ImageReader {
    private let image: SealedImage
    private let file: Descriptor
    private let rule: EndMarkRule
    private let plain: [UInt8]

    init(_ image: SealedImage, _ file: Descriptor, _ rule: EndMarkRule) {
        self.image = image
        self.file = file
        self.rule = rule
        plain = image.plainBytes
    }

    func check(_ choices: inout Choices) throws(Violation) {
        let stored: StoredFile
        do throws(StoreError) { stored = try KnownKeys.shared.open(file, rule) } catch {
            return try expect(error == expectedRefusal, "opening: \(error)")
        }
        if image.bytes.count < 4 { return try checkForeign(stored) }
        try expect(expectedRefusal == nil, "opened, with \(image.bytes.count) bytes")
        try expect(stored.size == Int64(plain.count), "the plain size")
        let last = image.blocks.indices.last ?? 0
        if let block = image.blocks[last] {
            try expect(stored.endLooksRight == (block.mark == mark(of: last)), "the last mark")
        }
        try check(stored, 0..<stored.size)
        for _ in 0..<4 {
            let start = Int64(choices.word()) % (stored.size + 5000)
            try check(stored, start..<start + Int64(choices.word()) % 20_000)
        }
    }

    /// Too short to be told from a file of somebody else's.
    private func checkForeign(_ stored: StoredFile) throws(Violation) {
        let shown = try must("a short file") { try stored.bytes(in: 0..<stored.size) }
        try expect(shown == image.bytes, "a short file is not shown as it is")
    }

    /// Why it cannot be opened at all.
    private var expectedRefusal: StoreError? {
        let size = image.bytes.count
        if size < 4 { return nil }
        if size < FileHeader.byteCount { return .header(.truncated(byteCount: size)) }
        let use = size % 4096
        let isPossible = size >= 4096 && use <= (size < 8192 ? 3040 : 4064)
        return isPossible ? nil : .impossibleSize(Int64(size))
    }

    private func check(_ stored: StoredFile, _ range: Range<Int64>) throws(Violation) {
        let found: [UInt8]
        do throws(StoreError) { found = try stored.bytes(in: range) } catch {
            return try expect(error == firstFault(range), "\(range): \(error)")
        }
        try expect(firstFault(range) == nil, "\(range) is read, with a fault in it")
        let start = min(Int(range.lowerBound), plain.count)
        let expected = plain[start..<max(start, min(Int(range.upperBound), plain.count))]
        try expect(found[...] == expected, "\(range): other bytes")
    }

    /// What a read of the range must fail with: the first block in it that is not as it should be.
    private func firstFault(_ range: Range<Int64>) -> StoreError? {
        var blocks = image.blocks.indices.filter { block in
            let start = Layout.plainOffset(ofBlock: Int64(block))
            let end = start + Int64(image.use(of: block))
            return max(start, range.lowerBound) < min(end, range.upperBound)
        }
        let last = image.blocks.count - 1
        if case .refuse = rule, range.upperBound >= plain.count, blocks.last != last {
            blocks.append(last)
        }
        for block in blocks {
            guard let known = image.blocks[block] else { return .damaged(block: Int64(block)) }
            if case .refuse = rule, let mark = known.mark, mark != self.mark(of: block) {
                return .wrongEnd(block: Int64(block))
            }
        }
        return nil
    }

    private func mark(of block: Int) -> UInt16 {
        BlockSeal.endMark(isLast: block == image.blocks.count - 1, use: image.use(of: block))
    }
}

extension StoredFile {
    func bytes(in range: Range<Int64>) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: Int(range.upperBound - range.lowerBound))
        var span = bytes.mutableSpan
        let count = try span.withUnsafeMutableBytes { buffer throws(StoreError) in
            try read(into: buffer, at: range.lowerBound)
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps a typed error.
    func withUnsafeBytesTyped<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try span.withUnsafeBytes { bytes throws(Failure) in try body(bytes) }
    }
}
