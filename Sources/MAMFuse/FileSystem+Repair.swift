// Mending what a check found in one file, and moving out of the way what cannot be mended.

internal import Glibc
internal import MAMStore
internal import MAMSystem
internal import MAMVault

/// What a check that may change things has at hand.
struct Repair: Sendable {
    let quarantine: Quarantine
}

extension FileSystem {
    func outcomes(
        for item: VerifyItem, _ file: VaultFile, _ problems: FileProblems, _ repair: Repair?
    ) -> Outcomes {
        guard repair != nil else { return Outcomes() }
        if problems.isBeyondMending {
            return .all(quarantine(item, because: "blocks of it do not verify", repair))
        }
        // What the disk does not give may be the file's better part: nothing is written over it.
        guard problems.unreadable.isEmpty else { return Outcomes() }
        if problems.unfinished != nil { return cutTail(of: item, file, problems) }
        return Outcomes(mendable: mend(item.inode, file))
    }

    /// Nobody may have the file open: with the write-back cache the kernel would keep the size that it knows.
    private func cutTail(
        of item: VerifyItem, _ file: VaultFile, _ problems: FileProblems
    ) -> Outcomes {
        guard item.inode.withState({ $0.beginReplacing() }) else { return .all(.left(Self.inUse)) }
        do throws(VaultError) {
            try makeWritable(item.inode)
            _ = try file.cutUnfinishedTail()
            // Before anyone can open it anew.
            let mended = problems.isMendable ? mend(item.inode, file) : .left(nil)
            finishReplacing(item)
            return Outcomes(tail: .repaired("cut there"), mendable: mended)
        } catch {
            item.inode.withState { $0.isConverting = false }
            return .all(.left("\(error)"))
        }
    }

    private func mend(_ inode: Inode, _ file: VaultFile) -> Finding.Outcome {
        do throws(VaultError) {
            try makeWritable(inode)
            try file.mend()
            return .repaired("sealed anew")
        } catch { return .left("\(error)") }
    }

    private func makeWritable(_ inode: Inode) throws(VaultError) {
        try inode.withState { state throws(VaultError) in
            _ = try fileToChange(inode, &state)
        }
    }

    /// Nil repair: it stays where it is.
    func quarantine(
        _ item: VerifyItem, because reason: String, _ repair: Repair?
    ) -> Finding.Outcome {
        guard let repair else { return .left(nil) }
        guard item.inode.withState({ $0.beginReplacing() }) else { return .left(Self.inUse) }
        do throws(Errno) {
            // No name changes between the last look and the move.
            let place = try names.exclusive { () throws(Errno) in
                let there = try status(at: item.parent.handle.raw, item.name.cString)
                guard BackingID(there) == item.inode.id else { throw .staleHandle }
                return try repair.quarantine.take(item, because: reason)
            }
            finishReplacing(item)
            return .quarantined(place)
        } catch {
            item.inode.withState { $0.isConverting = false }
            return .left("it could not be moved away: \(error)")
        }
    }

    /// Sends whoever opens the file to look the name up again, and tells the kernel to forget what it knows of it.
    private func finishReplacing(_ item: VerifyItem) {
        item.inode.withState { state in
            state.isReplaced = true
            state.isConverting = false
        }
        table.disown(item.inode)
        item.name.cString.withUnsafeBufferPointer { name in
            if let name = name.baseAddress { notifier.invalidate(name, in: item.parent.node) }
        }
        notifier.invalidate(item.inode.node)
    }

    private static let inUse = "it is open; close it and try again"
}

extension Inode.State {
    /// From now on nobody can open the file; false if somebody has it open.
    fileprivate mutating func beginReplacing() -> Bool {
        guard openCount == 0, !isConverting else { return false }
        isConverting = true
        return true
    }
}
