// What a check of one file finds, beyond what its header and its key tell.

package import MAMFormat
package import MAMSystem

/// Block numbers in rising order, as ranges. More than so many ranges are counted and not kept.
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

/// How one block stands.
enum BlockState: Equatable {
    case good
    /// It does not verify.
    case damaged
    /// It was given up by a repair.
    case lost
    /// All zero where the file has no hole.
    case zeroed
    /// Its end mark is not what the size says.
    case wrongEnd
    /// The same of the last block, whose mark tells of content behind the file's end.
    case cutShort
    /// The header before block 0 is not the one that was read when the file was opened.
    case otherHeader
    case unreadable(Errno)
}

/// What was found in a file so far. Blocks are 4096 bytes of the backing file, in a plain file too.
package struct FileProblems: Sendable {
    package private(set) var damaged = BlockRanges()
    package private(set) var lost = BlockRanges()
    package private(set) var zeroed = BlockRanges()
    package private(set) var wrongEnds = BlockRanges()
    package private(set) var unreadable = BlockRanges()
    private var endsTooEarly = false
    package private(set) var readError: Errno?
    package private(set) var hasOtherHeader = false
    /// What the file is by its blocks; nil if that is what its size says, or they give no size.
    package internal(set) var unfinished: Extent?
    /// The extent that ``unfinished`` was looked for in.
    var examined: Extent?
    /// Blocks were looked at without the key: whether they verify is not known.
    package internal(set) var lackedKey = false

    package init() {}

    /// Something is wrong that writing blocks anew cannot repair.
    package var isBeyondMending: Bool { !damaged.isEmpty }

    /// Something that writing blocks anew, with the key, repairs.
    package var isMendable: Bool { !zeroed.isEmpty || !wrongEnds.isEmpty || hasOtherHeader }

    package var isClean: Bool {
        !isBeyondMending && lost.isEmpty && !isMendable && unreadable.isEmpty && unfinished == nil
    }

    /// The last block, if its mark is all that differs from the size.
    package var misplacedEnd: Int64? {
        guard let unfinished, unfinished.blockCount == examined?.blockCount else { return nil }
        return unfinished.blockCount - 1
    }

    /// ``unfinished``, unless its only witness is a mark in a block that does not verify.
    package var provedEnd: Extent? {
        guard let misplacedEnd, damaged.ranges.last?.contains(misplacedEnd) == true else {
            return unfinished
        }
        return nil
    }

    /// The end is not where the last block was written for, and no zeros tell why: what was behind
    /// it is gone.
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
