// Checking one file of the tree, whoever uses it.

internal import Glibc
internal import MAMFormat
internal import MAMStore
internal import MAMSystem
internal import MAMVault

/// What a look at one file gave.
struct CheckedFile {
    var findings: [Finding] = []
    /// Its content could not be checked, for want of its key.
    var lackedKey = false
}

extension FileSystem {
    /// `progressed` is told of the bytes that were looked at.
    func check(
        _ item: VerifyItem, _ repair: Repair?, while shallGoOn: () -> Bool,
        progressed: (Int64) -> Void
    ) -> CheckedFile {
        do throws(VaultError) {
            guard let file = try beginCheck(item.inode) else { return CheckedFile() }
            defer { endCheck(item.inode) }
            let access = try file.prepareCheck()
            var problems = FileProblems()
            var offset: Int64? = 0
            while let here = offset, shallGoOn() {
                offset = try storing { () throws(StoreError) in
                    try file.check(at: here, &problems)
                }
                progressed((offset ?? max(here, item.byteCount)) - here)
            }
            return result(of: item, file, access, problems, repair)
        } catch {
            return CheckedFile(findings: [finding(for: error, item, repair)])
        }
    }

    /// The inode's file, shared with its users; nil for one that another has taken the place of.
    private func beginCheck(_ inode: Inode) throws(VaultError) -> VaultFile? {
        try inode.withState { state throws(VaultError) in
            if state.isReplaced { return nil }
            if state.file == nil {
                let (descriptor, isWritable) = try systemCall { () throws(Errno) in
                    try evictor.makingRoom { () throws(Errno) in
                        try openForUse(inode, writes: false)
                    }
                }
                state.file = try vault.file(descriptor)
                state.isWritable = isWritable
            }
            state.checkCount += 1
            return state.file
        }
    }

    private func endCheck(_ inode: Inode) {
        inode.withState { state in
            state.checkCount -= 1
            state.dropUnusedFile()
        }
    }

    private func result(
        of item: VerifyItem, _ file: VaultFile, _ access: VaultFile.CheckAccess,
        _ problems: FileProblems, _ repair: Repair?
    ) -> CheckedFile {
        var result = CheckedFile()
        result.lackedKey = file.header?.isManaged == true && problems.lackedKey
        if access == .keyMissing {
            let error = VaultError.keyMissing(file.owner)
            result.findings.append(Finding(item.path, .keyMissing, "\(error)", .unchecked))
        }
        guard !problems.isClean else { return result }
        let outcomes = outcomes(for: item, file, problems, repair)
        result.findings += problems.findings(at: item.path, outcomes)
        return result
    }

    /// A file that could not even be opened, or whose key does not open.
    private func finding(for error: VaultError, _ item: VerifyItem, _ repair: Repair?) -> Finding {
        let problem: Finding.Problem
        switch error {
        case .store(.header(.newerVersion)):
            return Finding(item.path, .newer, "\(error)", .unchecked)
        case .store(.header): problem = .header
        case .store(.impossibleSize): problem = .size
        case .store(.damaged):
            return Finding(
                item.path, .header, "its key does not open: the header was changed or damaged",
                quarantine(item, because: "its key does not open", repair))
        default: return Finding(item.path, .unreadable, "\(error)", .left(nil))
        }
        return Finding(
            item.path, problem, "\(error)", quarantine(item, because: "\(error)", repair))
    }
}

/// Runs a store call whose failure is the vault's.
private func storing<Value>(
    _ call: () throws(StoreError) -> Value
) throws(VaultError) -> Value {
    do throws(StoreError) { return try call() } catch { throw .store(error) }
}

/// What is done about each kind of problem of one file.
struct Outcomes {
    var blocks = Finding.Outcome.left(nil)
    var tail = Finding.Outcome.left(nil)
    var mendable = Finding.Outcome.left(nil)

    static func all(_ outcome: Finding.Outcome) -> Outcomes {
        Outcomes(blocks: outcome, tail: outcome, mendable: outcome)
    }
}

extension FileProblems {
    func findings(at path: ByteString, _ outcomes: Outcomes) -> [Finding] {
        var findings: [Finding] = []
        func add(
            _ problem: Finding.Problem, _ blocks: BlockRanges, _ reason: String,
            _ outcome: Finding.Outcome
        ) {
            if blocks.isEmpty { return }
            findings.append(Finding(path, problem, reason, blocks: blocks, outcome))
        }
        add(.unreadable, unreadable, readError.map { "\($0)" } ?? "", .left(nil))
        add(.blocks, damaged, "it does not verify", outcomes.blocks)
        add(.zeros, zeroed, "it is all zero, and the file has no hole there", outcomes.mendable)
        add(.end, wrongEnds, "it was cut off, or a write was interrupted", outcomes.mendable)
        if hasOtherHeader {
            let reason = "the header on disk is not that of the open file"
            findings.append(Finding(path, .header, reason, outcomes.mendable))
        }
        if let unfinished {
            let reason = "a crash left it unfinished behind byte \(unfinished.plainSize)"
            findings.append(Finding(path, .tail, reason, outcomes.tail))
        }
        return findings
    }
}
