// Mending what a check found in one file, and moving out of the way what cannot be repaired.

internal import Glibc
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// What a check that may change things has at hand.
final class Repair: Sendable {
    let quarantine: Quarantine
    /// One file is cut or moved at a time: it may have several names.
    let turn = Mutex(())

    init(in root: Descriptor) { quarantine = Quarantine(in: root) }
}

/// Repairs one file, or moves it out of the way.
package struct FileRepair: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    func outcomes(
        for look: Look, _ file: VaultFile, _ problems: FileProblems
    ) throws(Outdated) -> Outcomes {
        guard let repair = look.repair else { return Outcomes() }
        // What the disk does not give may be the file's better part: nothing is written over it.
        guard problems.unreadable.isEmpty else { return Outcomes() }
        if problems.isBeyondMending || problems.unfinished != nil {
            // A mark may be damaged, and is not known to be right without the key.
            if problems.misplacedEnd != nil, problems.lackedKey { return Outcomes() }
            return try mendClosed(look, repair, file, problems)
        }
        // By another of its names it may be being cut: between that and its new end mark it looks
        // as if content were missing.
        let isReplaced = repair.turn.withLock { _ in look.item.inode.isReplaced }
        if isReplaced { throw Outdated() }
        return Outcomes(mendable: mend(look.item.inode, file))
    }

    /// What must not happen under a handle: blocks are given up, and the size is set.
    private func mendClosed(
        _ look: Look, _ repair: Repair, _ file: VaultFile, _ problems: FileProblems
    ) throws(Outdated) -> Outcomes {
        let inode = look.item.inode
        return try replacing(look, repair) { () throws(VaultError) in
            try makeWritable(inode)
            var outcomes = Outcomes()
            // The tail first: of the block before it the mark tells whether it is the last.
            if problems.provedEnd != nil {
                _ = try file.cutUnfinishedTail()
                let action = problems.misplacedEnd == nil ? "cut there" : "given that size"
                outcomes.tail = .repaired(action)
            }
            if problems.isBeyondMending { outcomes.blocks = giveUpBlocks(of: look, file, repair) }
            // Before anyone can open it anew.
            if problems.isMendable { outcomes.mendable = mend(inode, file) }
            return outcomes
        } orFailing: {
            .all(.left($0))
        }
    }

    /// Keeps what does not verify in the quarantine, and marks it in its place. Where that fails
    /// the blocks are told as left; what is marked by then is found as lost by the next check.
    private func giveUpBlocks(
        of look: Look, _ file: VaultFile, _ repair: Repair
    ) -> Finding.Outcome {
        do throws(VaultError) {
            let kept = try systemCall { () throws(Errno) in
                try repair.quarantine.makeFile(
                    for: look.item, because: "blocks of it do not verify")
            }
            try file.markLost(keepingIn: kept.file)
            return .incomplete("marked as lost; what they held is in \(kept.place.shown)")
        } catch {
            return .left("\(error)")
        }
    }

    private func mend(_ inode: Inode, _ file: VaultFile) -> Finding.Outcome {
        do throws(VaultError) {
            try makeWritable(inode)
            try file.mend()
            return .repaired("sealed anew")
        } catch { return .left("\(error)") }
    }

    func makeWritable(_ inode: Inode) throws(VaultError) {
        try inode.withState { state throws(VaultError) in
            _ = try Classes(tree).fileToChange(inode, &state)
        }
    }

    /// It stays where it is in a check without a repair.
    func quarantine(_ look: Look, because reason: String) throws(Outdated) -> Finding.Outcome {
        guard let repair = look.repair else { return .left(nil) }
        let item = look.item
        return try replacing(look, repair) { () throws(VaultError) in
            try systemCall { () throws(Errno) in
                let place = try repair.quarantine.take(item, because: reason) {
                    move throws(Errno) in
                    // No name changes between the last look and the move.
                    try tree.names.exclusive { () throws(Errno) in
                        tree.noteMove()
                        let there = try status(at: item.parent.handle.raw, item.name.cString)
                        guard BackingID(there) == item.inode.backingID else { throw .staleHandle }
                        try move()
                    }
                }
                return .quarantined(place)
            }
        } orFailing: {
            .left($0)
        }
    }

    /// Runs a change after which the kernel must look the file up anew, while nobody can open it.
    ///
    /// Nobody may have it open: with the write-back cache the kernel would keep the size that it
    /// knows, and what it has not sent yet would go to a file that was moved away.
    private func replacing<Result>(
        _ look: Look, _ repair: Repair, _ body: () throws(VaultError) -> Result,
        orFailing fail: (String) -> Result
    ) throws(Outdated) -> Result {
        try repair.turn.withLock { _ throws(Outdated) in
            let inode = look.item.inode
            guard
                try inode.withState({ state throws(Outdated) in
                    try state.beginReplacing(since: look.useCount)
                })
            else { return fail("it is open; close it and try again") }
            do throws(VaultError) {
                let result = try body()
                finishReplacing(look.item)
                return result
            } catch {
                inode.withState { $0.isHeld = false }
                if case .store(.system(.staleHandle)) = error { throw Outdated() }
                return fail("\(error)")
            }
        }
    }

    /// Sends whoever opens the file to look the name up again, and tells the kernel to forget what
    /// it knows of it.
    private func finishReplacing(_ item: VerifyItem) {
        item.inode.withState { state in
            state.isReplaced = true
            state.isHeld = false
        }
        tree.table.disown(item.inode)
        item.name.cString.withUnsafeBufferPointer { name in
            if let name = name.baseAddress { tree.cache.invalidate(name, in: item.parent.node) }
        }
        tree.cache.invalidate(item.inode.node)
    }
}

extension Inode.State {
    /// From now on nobody can open the file; false if somebody has it open.
    fileprivate mutating func beginReplacing(since count: Int) throws(Outdated) -> Bool {
        if openCount > 0 || isConverting || isHeld { return false }
        if isReplaced || useCount != count { throw Outdated() }
        isHeld = true
        return true
    }
}
