// A whole managed file, sealed with keys that are at hand, so that what is fuzzed lies behind the
// cipher: FORMAT.md, section 1.2. The input says which blocks are wrong, and how; and then which
// bytes are cut off or changed.

import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

func checkBlocks(_ bytes: [UInt8]) throws(Violation) {
    var choices = Choices(bytes)
    var image = try SealedImage(&choices)
    let isDamagedHead = image.changeHeader(&choices)
    image.cut(&choices)
    let file = try makeMemoryFile(image.bytes)
    if isDamagedHead { return try checkRefused(file, image) }
    for rule in [EndMarkRule.accept, .refuse] {
        try ImageReader(image, file, rule).check(&choices)
    }
    try checkWrite(image, file, &choices)
}

extension SealedImage {
    /// Changes bytes of the header, and sometimes mends its checksum. True if one is other than it
    /// was.
    fileprivate mutating func changeHeader(_ choices: inout Choices) -> Bool {
        let before = bytes[..<FileHeader.byteCount]
        for _ in 0..<choices.number(below: 8) % 4 {
            bytes[choices.number(below: FileHeader.byteCount)] ^= choices.byte()
        }
        guard bytes[..<1020] != before[..<1020] else {
            return bytes[1020..<1024] != before[1020...]
        }
        if choices.flag() {
            var head = Array(bytes[..<FileHeader.byteCount])
            finish(&head)
            bytes.replaceSubrange(..<FileHeader.byteCount, with: head)
        }
        return true
    }

    /// Another `st_size`: one block less, one more, any number of bytes.
    fileprivate mutating func cut(_ choices: inout Choices) {
        guard choices.byte() % 4 == 3 else { return }
        let size = choices.number(below: min(65_536, bytes.count + 5000))
        let isHole = choices.flag()
        if size < bytes.count { bytes.removeLast(bytes.count - size) }
        bytes += [UInt8](repeating: isHole ? 0 : 0xEE, count: size - bytes.count)
        let count = size / Layout.blockByteCount
        blocks = (0..<count).map { $0 < blocks.count ? blocks[$0] : nil }
        settleHoles()
    }

    fileprivate var isReadable: Bool { Extent(physicalSize: Int64(bytes.count)) != nil }
}

/// A changed header: nothing is shown as this account's, and what is shown as foreign is what is on
/// disk.
private func checkRefused(_ file: Descriptor, _ image: SealedImage) throws(Violation) {
    let stored: StoredFile
    do throws(StoreError) { stored = try KnownKeys.shared.open(file, .accept) } catch {
        return try expect(error.isDamage || error.isNewer, "a changed header: \(error)")
    }
    try expect(!image.bytes.starts(with: magic), "a changed header is taken")
    let shown = try must("a foreign file") { try stored.bytes(in: 0..<stored.size) }
    try expect(stored.header == nil && shown == image.bytes, "a foreign file is not shown as it is")
}

extension StoreError {
    fileprivate var isNewer: Bool {
        if case .header(.newerVersion) = self { true } else { false }
    }
}

/// One write to a file that may be damaged: what was readable and is not written to stays as it
/// was.
private func checkWrite(
    _ image: SealedImage, _ file: Descriptor, _ choices: inout Choices
) throws(Violation) {
    guard image.isReadable, let stored = try? KnownKeys.shared.open(file, .accept) else { return }
    let start = choices.number(below: 30_000)
    let data = [UInt8](repeating: choices.byte() | 1, count: 1 + choices.number(below: 9000))
    var expected = image.plainBytes
    do throws(StoreError) {
        try data.withUnsafeBytesTyped { bytes throws(StoreError) in
            try stored.write(bytes, at: Int64(start), sealer: KnownKeys.shared)
        }
        let end = start + data.count
        if expected.count < end {
            expected += [UInt8](repeating: 0, count: end - expected.count)
        }
        expected.replaceSubrange(start..<end, with: data)
    } catch {
        try expect(error.isDamage, "a write: \(error)")
    }
    try checkAll(expected, image, file)
}

private func checkAll(
    _ expected: [UInt8], _ image: SealedImage, _ file: Descriptor
) throws(Violation) {
    let after = try must("opening after a write") { try KnownKeys.shared.open(file, .accept) }
    try expect(after.size == Int64(expected.count), "the size after a write")
    for block in image.blocks.indices where image.blocks[block] != nil {
        let start = Layout.plainOffset(ofBlock: Int64(block))
        let range = start..<start + Int64(image.use(of: block))
        let found = try must("block \(block) was readable before a write") {
            try after.bytes(in: range)
        }
        try expect(
            found[...] == expected[Int(range.lowerBound)..<Int(range.upperBound)],
            "block \(block) after a write")
    }
}
