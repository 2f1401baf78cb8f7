// Streams: any bytes as one, and one that was sealed, then cut, changed or put together anew.

import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore

func checkStream(_ bytes: [UInt8]) throws(Violation) {
    try checkAnyStream(bytes)
    var choices = Choices(bytes)
    let plain = (0..<choices.number(below: 3) * StreamForm.chunkByteCount + Int(choices.byte()))
        .map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 251) }
    let (head, sealed) = try seal(plain)
    try checkOpening(sealed, head, plain, isWhole: true)
    var changed = sealed
    let from = head.bytes.count
    for _ in 0...choices.number(below: 3) {
        guard changed.count > from else { break }
        let at = from + Int(UInt64(bitPattern: choices.wide()) % UInt64(changed.count - from))
        switch choices.byte() % 4 {
        case 0: changed[at] ^= choices.byte() | 1
        case 1: changed.removeSubrange(at...)
        case 2: changed.insert(choices.byte(), at: at)
        default:
            changed.replaceSubrange(
                at..., with: changed[from...].prefix(choices.number(below: 65_536)))
        }
    }
    try checkOpening(changed, head, plain, isWhole: changed == sealed)
}

/// It is refused, passed through as it is, or has a header that encodes to the same bytes.
private func checkAnyStream(_ bytes: [UInt8]) throws(Violation) {
    let ends = MemoryEnds(bytes)
    let input = StreamInput(ends)
    let found: StreamHead?
    do throws(StoreError) { found = try input.readHead() } catch {
        guard case .header = error else { throw Violation(description: "any bytes: \(error)") }
        return
    }
    guard let head = found else {
        _ = try must("passing through") { try input.passThrough() }
        return try expect(ends.output == bytes, "foreign bytes came out changed")
    }
    let again = try must("encoding") {
        try StreamHead(encoding: head.header) { _, wrapped throws(SealError) in
            wrapped.copyBytes(from: head.bytes[StreamForm.wrappedKeyRange(of: head.header)])
        }
    }
    try expect(again.bytes == head.bytes, "a header that decodes is not what its fields encode to")
}

private func seal(_ plain: [UInt8]) throws(Violation) -> (StreamHead, [UInt8]) {
    try must("sealing") {
        let key = SecretBytes.random(count: 32)
        let header = FileHeader(
            fileID: SealedImage.fileID, owner: try Identity(name: "ann@contoso.com"),
            sealing: .init(
                protectionClass: .none, keyID: KeyID(Bytes16(high: 1, low: 2)), isSparse: false,
                ephemeralKey: .zero))
        let head = try StreamHead(encoding: header) { associated, wrapped throws(SealError) in
            try KeyWrap.wrap(key, under: wrappingKey, associatedData: associated, into: wrapped)
        }
        let ends = MemoryEnds(plain)
        _ = try StreamInput(ends).seal(head, BlockCipher(key: key))
        return (head, ends.output)
    }
}

/// What comes out is a beginning of what went in; all of it only of the stream as it was.
private func checkOpening(
    _ bytes: [UInt8], _ head: StreamHead, _ plain: [UInt8], isWhole: Bool
) throws(Violation) {
    if plain.isEmpty { return try expect(bytes.isEmpty, "no data made a stream") }
    let ends = MemoryEnds(bytes)
    let input = StreamInput(ends)
    var isDamaged = false
    do throws(StoreError) {
        guard let found = try input.readHead() else { throw .keyUnavailable }
        let key = try found.withWrap { wrapped, associated throws(StoreError) in
            do throws(SealError) {
                return try KeyWrap.unwrap(wrapped, under: wrappingKey, associatedData: associated)
            } catch { throw .keyUnavailable }
        }
        _ = try input.open(found, BlockCipher(key: key))
    } catch {
        guard case .damaged = error else { throw Violation(description: "opening: \(error)") }
        isDamaged = true
    }
    try expect(isDamaged != isWhole, isWhole ? "a stream does not open" : "a changed stream opens")
    try expect(plain.starts(with: ends.output), "other content came out")
    try expect(!isWhole || ends.output == plain, "content is missing")
}

private let wrappingKey = SecretBytes.random(count: 32)
