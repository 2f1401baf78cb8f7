// The first 1024 bytes of a file, any bytes at all: FORMAT.md, section 1.

import MAMFormat
import MAMModel
import MAMStore
import MAMSystem

/// As FORMAT.md has it.
let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x46, 0x0D, 0x0A, 0x1A]

/// As they came, and with the checksum that they should have: most bytes would not get past it.
func checkHeader(_ bytes: [UInt8]) throws(Violation) {
    try checkHead(bytes)
    guard bytes.count >= FileHeader.byteCount else { return }
    var sealed = bytes
    finish(&sealed)
    try checkHead(sealed)
}

func finish(_ header: inout [UInt8]) {
    var span = header.mutableSpan
    var raw = span.mutableBytes
    FileHeader.finish(&raw)
}

private func checkHead(_ bytes: [UInt8]) throws(Violation) {
    let head = Array(bytes.prefix(FileHeader.byteCount))
    switch Result(catching: { () throws(HeaderError) in try FileHeader.decode(head.span.bytes) }) {
    case .success(let header): try checkDecoded(header, head)
    case .failure(let error): try expect(!error.description.isEmpty, "no words")
    }
    try checkKind(head, size: Int64(bytes.count))
    try checkSizes(bytes)
}

/// Encoding again gives the same bytes, and those decode.
private func checkDecoded(_ header: FileHeader, _ head: [UInt8]) throws(Violation) {
    var again = [UInt8](repeating: 0xA5, count: FileHeader.byteCount)
    if header.isManaged {
        again.replaceSubrange(FileHeader.wrappedKeyRange, with: head[FileHeader.wrappedKeyRange])
    }
    var span = again.mutableSpan
    var raw = span.mutableBytes
    header.encode(into: &raw)
    FileHeader.finish(&raw)
    try expect(again == head, "a header that decodes is not what its fields encode to")
    try expect(
        (header.sealing?.askedClass).map { $0.rawValue >= 1 } ?? true, "an asked class of nothing")
    try expect(header.owner.matches(header.owner), "an owner that is not itself")
}

/// What the bytes are taken for, by the rules as FORMAT.md words them.
private func checkKind(_ head: [UInt8], size: Int64) throws(Violation) {
    let kind = FileKind.classify(prefix: head.span.bytes, fileSize: size)
    let begins = head.count >= 4 && head.starts(with: magic.prefix(head.count))
    var healed = head
    if head.count == FileHeader.byteCount {
        healed.replaceSubrange(0..<8, with: magic)
        finish(&healed)
    }
    let lacksMagic = head.count == FileHeader.byteCount && healed[1020...] == head[1020...]
    let expected: FileKind =
        size == 0
        ? .empty
        : begins
            ? (size >= 1024 ? .protected : .damaged) : lacksMagic ? .damaged : .foreign
    try expect(kind == expected, "taken for \(kind), and it is \(expected)")
}

/// Any `st_size`, among them those that no file has.
private func checkSizes(_ bytes: [UInt8]) throws(Violation) {
    var choices = Choices(Array(bytes.suffix(8)))
    let wide = choices.wide()
    for size in [
        wide, Int64(bytes.count), wide & 0xFFFF, (wide & 0xFF_FFFF) + (1 << 62) - (1 << 20),
    ]
    where size >= 0 {
        guard let extent = Extent(physicalSize: size) else { continue }
        try expect(extent.physicalSize == size, "\(size): another physical size")
        try expect(extent.plainSize >= 0 && extent.plainSize <= size, "\(size): its plain size")
        let same = Extent(plainSize: extent.plainSize)
        let isAfterCrash = extent.blockCount > 1 && extent.lastBlockUse == 0
        try expect((same == extent) == !isAfterCrash, "\(size): another extent")
    }
}
