// A managed file's bytes, sealed here block by block as the input says: right, or wrong in one of
// many ways.

import MAMCrypto
import MAMFormat
import MAMModel
import MAMStore

/// What is on disk, and what a reader must find there.
struct SealedImage {
    var bytes: [UInt8] = []
    let isSparse: Bool
    /// By block, while its 4096 bytes are as they were written; nil for one that no key opens.
    var blocks: [Block?] = []

    struct Block {
        let payload: [UInt8]
        /// As it stands in the nonce; nil for a hole.
        let mark: UInt16?
    }

    static let fileID = FileID(Bytes16(high: 0x66757A7A, low: 1))
    static let key = SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: 7) }
    private static let cipher = BlockCipher(key: key)
    private static let otherCipher = BlockCipher(
        key: SecretBytes(count: 32) { $0.initializeMemory(as: UInt8.self, repeating: 8) })

    init(_ choices: inout Choices) throws(Violation) {
        isSparse = choices.flag()
        let letter = ProtectionClass.allCases[choices.number(below: 4)]
        let count = 1 + choices.number(below: 6)
        let use = choices.number(below: Layout.capacity(ofBlock: Int64(count - 1)) + 1)
        for index in 0..<count {
            try add(index, BlockSeal.endMark(isLast: index == count - 1, use: use), &choices)
        }
        try writeHeader(letter)
        bytes += [UInt8](repeating: choices.byte(), count: use)
        settleHoles()
    }

    /// Zeros are a hole where one may be, however they came there.
    mutating func settleHoles() {
        for index in blocks.indices.dropFirst() {
            let start = index * Layout.blockByteCount
            guard bytes[start..<start + Layout.blockByteCount].allSatisfy({ $0 == 0 }) else {
                continue
            }
            blocks[index] =
                isSparse && index < blocks.count - 1
                ? Block(
                    payload: [UInt8](repeating: 0, count: Layout.payloadByteCount), mark: nil)
                : nil
        }
    }

    func use(of block: Int) -> Int {
        let capacity = Layout.capacity(ofBlock: Int64(block))
        return block == blocks.count - 1
            ? min(bytes.count % Layout.blockByteCount, capacity) : capacity
    }

    /// All plain bytes; zeros where no key opens.
    var plainBytes: [UInt8] {
        blocks.indices.flatMap { block in
            blocks[block]?.payload[..<use(of: block)]
                ?? [UInt8](repeating: 0, count: use(of: block))[...]
        }
    }

    private mutating func writeHeader(_ letter: ProtectionClass) throws(Violation) {
        let header = FileHeader(
            fileID: Self.fileID,
            owner: try must("an owner") { try Identity(name: "ann@contoso.com") },
            sealing: .init(
                protectionClass: letter, keyID: .none, isSparse: isSparse, ephemeralKey: .zero))
        try must("sealing a header") {
            try bytes.withUnsafeMutableBytes { all in
                _ = try KnownKeys.shared.seal(
                    header, key: Self.key, into: .init(rebasing: all[..<FileHeader.byteCount]))
            }
        }
    }

    /// One block, right more often than not.
    private mutating func add(_ index: Int, _ mark: UInt16, _ choices: inout Choices)
        throws(Violation)
    {
        let kind = choices.byte()
        let payload = pattern(index, seed: choices.byte())
        switch kind % 16 {
        case 0 where index > 0:  // zeros
            bytes += [UInt8](repeating: 0, count: Layout.blockByteCount)
            blocks.append(nil)
        case 1:  // another end mark
            let other = choices.word()
            try append(payload, index, other)
            blocks.append(Block(payload: payload, mark: other))
        case 2:  // sealed for another place
            let other = Int(choices.byte())
            try append(payload, index, mark, as: Int64(other))
            blocks.append(other == index ? Block(payload: payload, mark: mark) : nil)
        case 3:  // of another file
            try append(payload, index, mark, of: FileID(.zero))
            blocks.append(nil)
        case 4:  // under another key
            try append(payload, index, mark, with: Self.otherCipher)
            blocks.append(nil)
        case 5:  // changed after it was sealed
            try append(payload, index, mark)
            let place = choices.number(below: sealedCount(index))
            let change = choices.byte()
            bytes[bytes.count - sealedCount(index) + place] ^= change
            blocks.append(change == 0 ? Block(payload: payload, mark: mark) : nil)
        default:
            try append(payload, index, mark)
            blocks.append(Block(payload: payload, mark: mark))
        }
    }

    private func sealedCount(_ index: Int) -> Int {
        Layout.sealByteCount + Layout.capacity(ofBlock: Int64(index))
    }

    private mutating func append(
        _ payload: [UInt8], _ index: Int, _ mark: UInt16, as place: Int64? = nil,
        of file: FileID = fileID, with cipher: BlockCipher = cipher
    ) throws(Violation) {
        var block = [UInt8](repeating: 0, count: Layout.blockByteCount)
        var associated = [UInt8](repeating: 0, count: BlockSeal.associatedByteCount)
        var span = associated.mutableSpan
        var raw = span.mutableBytes
        BlockSeal.writeAssociatedData(file: file, block: place ?? Int64(index), to: &raw)
        var nonce = [UInt8](repeating: UInt8(index) ^ payload[0], count: BlockSeal.nonceByteCount)
        nonce[14] = UInt8(mark & 0xFF)
        nonce[15] = UInt8(mark >> 8)
        let start = block.count - sealedCount(index)
        try must("sealing a block") {
            try block.withUnsafeMutableBytes { block in
                guard let seal = block.baseAddress.map({ $0 + start }) else { return }
                seal.copyMemory(from: nonce, byteCount: nonce.count)
                try cipher.withSession { session in
                    try payload.withUnsafeBytes { payload in
                        try associated.withUnsafeBytes { associated in
                            try session.seal(
                                payload, nonce: nonce, associatedData: associated,
                                into: seal + Layout.sealByteCount,
                                tag: seal + BlockSeal.nonceByteCount)
                        }
                    }
                }
            }
        }
        bytes += block
    }

    private func pattern(_ index: Int, seed: UInt8) -> [UInt8] {
        (0..<Layout.capacity(ofBlock: Int64(index))).map {
            UInt8(truncatingIfNeeded: $0 * 7 + $0 / 251 + index * 31 + Int(seed))
        }
    }
}
