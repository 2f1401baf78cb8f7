// What a TPM 2.0 chip has sealed for a slot.

internal import CChip
internal import MAMFormat

/// A secret that one chip alone opens: docs/FORMAT.md, section 3.3. Nothing in it is secret.
package struct ChipSeal: Sendable, Equatable {
    /// In the keybag.
    static let byteCount = 1024
    static let nameByteCount = Int(MAM_CHIP_NAME)
    /// The limit of each part.
    static let partByteCount = Int(MAM_CHIP_PART)

    /// Bit N: it opens only while PCR N is as it was.
    package let pcrs: UInt32
    /// The name of the chip's key that it is sealed to.
    let parent: [UInt8]
    /// Of the sealed object, as TPM2B_PUBLIC and TPM2B_PRIVATE.
    let publicPart: [UInt8]
    let privatePart: [UInt8]

    /// Those that a selection of three bytes names.
    package static let pcrRange = 0..<24

    /// Of the PCRs, in order.
    package var pcrNumbers: [Int] { Self.pcrRange.filter { pcrs & 1 << UInt32($0) != 0 } }
}

// MARK: Coding

/// Field offsets of the record.
private enum ChipSealOffset {
    static let length = 0
    static let pcrs = 2
    static let parent = 6
    static let parts = 40
}

extension ChipSeal {
    /// All 1024 bytes.
    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        raw.store(pcrs, at: ChipSealOffset.pcrs)
        raw.store(parent, at: ChipSealOffset.parent)
        var end = ChipSealOffset.parts
        for part in [publicPart, privatePart] {
            raw.store(UInt16(part.count), at: end)
            raw.store(part, at: end + 2)
            end += 2 + part.count
        }
        raw.store(UInt16(end - ChipSealOffset.pcrs), at: ChipSealOffset.length)
        return bytes
    }

    /// Nil for values that no writer gives.
    init?(decoding record: RawSpan, at offset: Int) {
        let bytes = record.extracting(offset..<offset + Self.byteCount)
        var end = ChipSealOffset.parts
        func part() -> [UInt8]? {
            let count = Int(bytes.integer(UInt16.self, at: end))
            guard 1...Self.partByteCount ~= count else { return nil }
            defer { end += 2 + count }
            return bytes.array(end + 2..<end + 2 + count)
        }
        guard let publicPart = part(), let privatePart = part(),
            Int(bytes.integer(UInt16.self, at: ChipSealOffset.length))
                == end - ChipSealOffset.pcrs,
            bytes.isZero(end..<Self.byteCount)
        else { return nil }
        pcrs = bytes.integer(UInt32.self, at: ChipSealOffset.pcrs)
        guard pcrs < 1 << UInt32(Self.pcrRange.count) else { return nil }
        parent = bytes.array(
            ChipSealOffset.parent..<ChipSealOffset.parent + Self.nameByteCount)
        (self.publicPart, self.privatePart) = (publicPart, privatePart)
    }
}
