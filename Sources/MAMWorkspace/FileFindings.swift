// Converts a file's problems to findings.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault

/// The result of examining one file.
struct CheckedFile {
    var findings: [Finding] = []
    /// Its content could not be checked for lack of its key.
    var lackedKey = false
}

/// What was done about each kind of problem in one file.
struct Outcomes {
    var blocks = Finding.Outcome.left(nil)
    var tail = Finding.Outcome.left(nil)
    var mendable = Finding.Outcome.left(nil)

    static func all(_ outcome: Finding.Outcome) -> Outcomes {
        Outcomes(blocks: outcome, tail: outcome, mendable: outcome)
    }
}

extension Finding.Outcome {
    /// For a repaired file whose content may be incomplete.
    fileprivate func losing(_ what: String) -> Finding.Outcome {
        if case .repaired(let action) = self { .incomplete("\(action); \(what)") } else { self }
    }
}

extension FileProblems {
    func findings(at path: ByteString, _ outcomes: Outcomes) -> [Finding] {
        var findings: [Finding] = []
        func add(
            _ problem: Finding.Problem, _ blocks: BlockRanges, _ reason: Message,
            _ outcome: Finding.Outcome
        ) {
            if blocks.isEmpty { return }
            findings.append(Finding(path, problem, reason, blocks: blocks, outcome))
        }
        add(.unreadable, unreadable, readError.map { "\($0)" as Message } ?? "", .left(nil))
        add(.blocks, damaged, "it does not verify", outcomes.blocks)
        add(
            .lost, lost, "it was damaged, and given up; write it anew, or restore the file",
            .left(nil))
        add(
            .zeros, zeroed, "it is all zero, and the file has no hole there",
            outcomes.mendable.losing("what was there is gone"))
        let atEnd =
            isCutShort
            ? outcomes.mendable.losing("content behind it may be missing") : outcomes.mendable
        add(.end, wrongEnds, "it was cut off, or a write was interrupted", atEnd)
        if hasOtherHeader {
            let reason: Message = "the header on disk is not that of the open file"
            findings.append(Finding(path, .header, reason, outcomes.mendable))
        }
        guard let unfinished = provedEnd else { return findings }
        if let misplacedEnd {
            var blocks = BlockRanges()
            blocks.add(misplacedEnd...misplacedEnd)
            let reason: Message =
                "its size is not the one that the last block has, \(unfinished.plainSize)"
            add(.end, blocks, reason, outcomes.tail)
        } else {
            let reason: Message = "a crash left it unfinished behind byte \(unfinished.plainSize)"
            findings.append(Finding(path, .tail, reason, outcomes.tail))
        }
        return findings
    }
}
