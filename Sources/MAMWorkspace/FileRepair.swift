// Repairs one file, or moves it to the quarantine.

internal import Glibc
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// The shared state of a check that repairs.
final class Repair: Sendable {
    let quarantine: Quarantine
    /// Serialises truncating and moving files, because one file may have several links.
    let replacing = Mutex(())

    init(in root: Descriptor) { quarantine = Quarantine(in: root) }
}

/// Repairs one file, or quarantines it.
package struct FileRepair: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    func outcomes(
        for look: Look, _ file: VaultFile, _ problems: FileProblems
    ) throws(Outdated) -> Outcomes {
        guard let repair = look.repair else { return Outcomes() }
        // Blocks that the disk cannot read may be most of the file: do not overwrite anything.
        guard problems.unreadable.isEmpty else { return Outcomes() }
        if problems.isBeyondMending || problems.unfinished != nil {
            // The mark may be damaged, which cannot be ruled out without the key.
            if problems.misplacedEnd != nil, problems.lackedKey { return Outcomes() }
            return try mendClosed(look, repair, file, problems)
        }
        // Another link's repair may be truncating it: until its new end mark is written, content
        // seems to be missing.
        let isReplaced = repair.replacing.withLock { _ in look.item.inode.isReplaced }
        if isReplaced { throw Outdated() }
        return Outcomes(mendable: mend(look.item.inode, file))
    }

    /// Repairs that require a closed file: marking blocks as lost, and setting the size.
    private func mendClosed(
        _ look: Look, _ repair: Repair, _ file: VaultFile, _ problems: FileProblems
    ) throws(Outdated) -> Outcomes {
        let inode = look.item.inode
        return try replacing(look, repair) { () throws(VaultError) in
            try makeWritable(inode)
            var outcomes = Outcomes()
            // The tail first: the mark of the block before it says whether that is the last one.
            if problems.provedEnd != nil {
                _ = try file.cutUnfinishedTail()
                let action = problems.misplacedEnd == nil ? "cut there" : "given that size"
                outcomes.tail = .repaired(action)
            }
            if problems.isBeyondMending { outcomes.blocks = giveUpBlocks(of: look, file, repair) }
            // Before the file can be opened again.
            if problems.isMendable { outcomes.mendable = mend(inode, file) }
            return outcomes
        } orFailing: {
            .all(.left($0))
        }
    }

    /// Saves blocks that do not verify in the quarantine, and marks them as lost. On failure
    /// reports the blocks as left; the next check finds those already marked as lost.
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

    /// Leaves the file in place in a check without repair.
    func quarantine(_ look: Look, because reason: String) throws(Outdated) -> Finding.Outcome {
        guard let repair = look.repair else { return .left(nil) }
        let item = look.item
        return try replacing(look, repair) { () throws(VaultError) in
            try systemCall { () throws(Errno) in
                let place = try repair.quarantine.take(item, because: reason) {
                    move throws(Errno) in
                    // Excludes renames between the last check and the move.
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

    /// Makes a change after which the kernel must look the file up again, while it cannot be
    /// opened.
    ///
    /// It must not be open: with the write-back cache the kernel would keep its known size, and its
    /// unsent data would go to a file that was moved away.
    private func replacing<Result>(
        _ look: Look, _ repair: Repair, _ body: () throws(VaultError) -> Result,
        orFailing fail: (String) -> Result
    ) throws(Outdated) -> Result {
        let inode = look.item.inode
        tree.table.awaitOpens(of: inode)
        return try repair.replacing.withLock { _ throws(Outdated) in
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

    /// Makes later opens look the name up again, and invalidates the kernel's cache.
    private func finishReplacing(_ item: VerifyItem) {
        item.inode.withState { state in
            tree.table.replace(item.inode, &state)
            state.isHeld = false
        }
        item.name.cString.withUnsafeBufferPointer { name in
            if let name = name.baseAddress { tree.cache.invalidate(name, in: item.parent.node) }
        }
        tree.cache.invalidate(item.inode.node)
    }
}

extension Inode.State {
    /// Prevents opens from now on; false if the file is open.
    fileprivate mutating func beginReplacing(since count: Int) throws(Outdated) -> Bool {
        if openCount > 0 || isConverting || isHeld { return false }
        if isReplaced || useCount != count { throw Outdated() }
        isHeld = true
        return true
    }
}
