// What a check of one file finds beyond its header and its key.

package import MAMFormat
package import MAMModel
internal import MAMSystem

/// Block numbers as ascending ranges. Ranges beyond a limit are counted but not kept.
package struct BlockRanges: Sendable, Equatable {
    package private(set) var ranges: [ClosedRange<Int64>] = []
    package private(set) var count: Int64 = 0

    private static let limit = 1000

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ blocks: ClosedRange<Int64>) {
        count += Int64(blocks.count)
        if let last = ranges.last, last.upperBound + 1 == blocks.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...blocks.upperBound
        } else if ranges.count < Self.limit {
            ranges.append(blocks)
        }
    }
}

/// The state of one block.
enum BlockState: Equatable {
    case good
    /// It does not verify.
    case damaged
    /// A repair marked it as lost.
    case lost
    /// All zero, but the file has no holes.
    case zeroed
    /// The end mark does not match the size.
    case wrongEnd
    /// The mark of the last block says that the file was longer.
    case cutShort
    /// The header before block 0 is not the one read at open.
    case otherHeader
    case unreadable(Errno)
}

/// Findings so far. Blocks are 4096 bytes of the backing file, in a plain file too.
package struct FileProblems: Sendable {
    package private(set) var damaged = BlockRanges()
    package private(set) var lost = BlockRanges()
    package private(set) var zeroed = BlockRanges()
    package private(set) var wrongEnds = BlockRanges()
    package private(set) var unreadable = BlockRanges()
    private var endsTooEarly = false
    package private(set) var readError: Errno?
    package private(set) var hasOtherHeader = false
    /// The extent that the blocks imply; nil if it matches the size, or they imply none.
    package internal(set) var unfinished: Extent?
    /// The extent for which ``unfinished`` was determined.
    var examined: Extent?
    /// Blocks were checked without the key, so whether they verify is unknown.
    package internal(set) var lackedKey = false

    package init() {}

    /// Some damage cannot be repaired by sealing blocks again.
    package var isBeyondMending: Bool { !damaged.isEmpty }

    /// Some damage can be repaired by sealing blocks again, with the key.
    package var isMendable: Bool { !zeroed.isEmpty || !wrongEnds.isEmpty || hasOtherHeader }

    package var isClean: Bool {
        !isBeyondMending && lost.isEmpty && !isMendable && unreadable.isEmpty && unfinished == nil
    }

    /// The last block, if only its mark contradicts the size.
    package var misplacedEnd: Int64? {
        guard let unfinished, unfinished.blockCount == examined?.blockCount else { return nil }
        return unfinished.blockCount - 1
    }

    /// ``unfinished``, unless its only evidence is the mark of a block that does not verify.
    package var provedEnd: Extent? {
        guard let misplacedEnd, damaged.ranges.last?.contains(misplacedEnd) == true else {
            return unfinished
        }
        return nil
    }

    /// The file is shorter than it was when its last block was sealed, and no zeros explain it: the
    /// end was cut off.
    package var isCutShort: Bool { endsTooEarly && unfinished == nil }

    mutating func add(_ blocks: ClosedRange<Int64>, _ state: BlockState) {
        switch state {
        case .good: break
        case .damaged: damaged.add(blocks)
        case .lost: lost.add(blocks)
        case .zeroed: zeroed.add(blocks)
        case .wrongEnd: wrongEnds.add(blocks)
        case .cutShort:
            wrongEnds.add(blocks)
            endsTooEarly = true
        case .otherHeader: hasOtherHeader = true
        case .unreadable(let error):
            unreadable.add(blocks)
            readError = error
        }
    }
}
