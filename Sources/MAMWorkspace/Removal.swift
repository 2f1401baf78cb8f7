// Removes the files of a wiped account.

internal import Glibc
internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Removes the files of a wiped account.
package struct Removal: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// The limit on walks: if directories are moved around endlessly, the next start continues the
    /// wipe.
    private static let maximumSweeps = 16

    package func removeFiles(
        where isWanted: (OwnedHeader) -> Bool, progressed: (WipeProgress) -> Void
    ) -> RemovedFiles {
        var result = RemovedFiles()
        var isProved = false
        for _ in 0..<Self.maximumSweeps where !isProved {
            let (moves, count) = (tree.moveCount, result.count)
            let isUndisturbed = sweep(isWanted, &result, progressed)
            // The closed window prevents new ones, and none was moved past this walk.
            isProved = isUndisturbed && result.count == count && moves == tree.moveCount
        }
        if !isProved { result.isComplete = false }
        // Even if none was found: a killed daemon may have removed files without a sync.
        if !tree.isReadOnly, !ClassUpdates(tree).synchronizeAll() { result.isComplete = false }
        return result
    }

    /// Works while the mount is in use. False if a directory was removed when it was about to be
    /// read.
    private func sweep(
        _ isWanted: (OwnedHeader) -> Bool, _ result: inout RemovedFiles,
        _ progressed: (WipeProgress) -> Void
    ) -> Bool {
        var removed = RemovedNames(tree.cache)
        var isUndisturbed = true
        let before = result.count
        result.beginSweep()
        let isWhole = Walk(tree).walk(
            includingHidden: true, while: { !tree.isStopping },
            failed: { path, error in
                if error == .noEntry { isUndisturbed = false } else { result.noteLeft(path) }
            }
        ) { found in
            if found.entry.inode.isRegular { result.scanned += 1 }
            do throws(Errno) {
                if try remove(found, isWanted) {
                    removed.add(found.name, in: found.parent.node)
                    result.count += 1
                }
            } catch {
                // Its user removed it first.
                if error != .noEntry { result.noteLeft(found.path) }
            }
            progressed(WipeProgress(removed: result.count, scanned: result.scanned))
            return true
        }
        removed.flush()
        result.found = result.count - before + result.leftCount
        result.isComplete = isWhole && result.leftCount == 0
        return isUndisturbed
    }

    /// False if it is not one of the account's.
    private func remove(
        _ found: WalkedEntry, _ isWanted: (OwnedHeader) -> Bool
    ) throws(Errno) -> Bool {
        let inode = found.entry.inode
        guard inode.isRegular else { return false }
        guard inode.isRead else { throw .accessDenied }
        // Most files belong to others, and this check is free.
        let user = found.entry.attributes.st_uid
        guard let header = inode.header, isWanted(OwnedHeader(header, user: user)) else {
            return false
        }
        if tree.isReadOnly { throw .readOnly }
        return try tree.names.exclusive { () throws(Errno) in try unlink(found, isWanted) }
    }

    /// Removes a name after a final check that excludes renames and header changes: by now the name
    /// may lead to another file, or the file may have another owner or user.
    private func unlink(
        _ found: WalkedEntry, _ isWanted: (OwnedHeader) -> Bool
    ) throws(Errno) -> Bool {
        let (parent, inode) = (found.parent, found.entry.inode)
        let name = found.name.cString
        let status = try status(at: parent.handle.raw, name)
        guard BackingID(status) == inode.backingID else { return false }
        return try inode.withState { state throws(Errno) in
            guard let header = try currentHeader(of: inode, state.file),
                isWanted(OwnedHeader(header, user: status.st_uid))
            else { return false }
            try withOwnerRights(to: parent.handle) { _ throws(Errno) in
                try removeFile(in: parent.handle.raw, named: name)
            }
            return true
        }
    }

    /// From the disk, not as read at the first look-up.
    private func currentHeader(
        of inode: Inode, _ open: VaultFile?
    ) throws(Errno) -> FileHeader? {
        if let open { return open.header }
        return try Lookup(tree).facts(of: inode.handle, try status(at: inode.handle.raw, ""))?
            .header
    }
}

/// The result of removing files.
package struct RemovedFiles: Sendable {
    /// The number of removed names.
    package var count = 0
    /// In the last walk: how many files were examined, and how many of those were to be removed.
    /// Zero proves that none is left.
    package var scanned = 0
    package var found = 0
    /// The first files that remain, or could not be examined; below the backing directory.
    package private(set) var left: [ByteString] = []
    package private(set) var leftCount = 0
    /// True if it is proved that no file is left.
    package var isComplete = false

    /// The limit of names, as nobody reads more.
    private static let shownCount = 100

    package init() {}

    /// Only the last walk's remaining files count.
    package mutating func beginSweep() {
        (scanned, found, leftCount) = (0, 0, 0)
        left = []
    }

    package mutating func noteLeft(_ path: ByteString) {
        leftCount += 1
        if left.count < Self.shownCount { left.append(path) }
    }

    /// The result if another thread has completed the same wipe.
    static var nothingLeft: RemovedFiles {
        var files = RemovedFiles()
        files.isComplete = true
        return files
    }
}

/// Tells the kernel in batches: an account may have millions of names.
struct RemovedNames {
    private struct Removed {
        let parent: UInt64
        let name: ByteString
    }

    private let cache: any KernelCache
    private var names: [Removed] = []
    /// After one timeout no further batch is tried: a program that reads a directory may take
    /// arbitrarily long.
    private var isHeard = true

    private static let batchCount = 1000

    init(_ cache: any KernelCache) { self.cache = cache }

    mutating func add(_ name: ByteString, in parent: UInt64) {
        names.append(Removed(parent: parent, name: name))
        if names.count == Self.batchCount { flush() }
    }

    /// This may wait for a program that reads the directory, and misses a name whose look-up is
    /// still under way; the kernel forgets the names by itself after a minute.
    mutating func flush() {
        defer { names = [] }
        guard isHeard, !names.isEmpty else { return }
        isHeard = finishes(by: Deadline(seconds: 5), named: "removed-names") {
            [cache, names] in
            for removed in names { cache.invalidate(removed.name.cString, in: removed.parent) }
        }
    }
}

/// The result of a wipe.
package struct WipeOutcome: Sendable {
    package let files: RemovedFiles
    /// False if something is left: the wipe continues at the next start, or when requested again.
    package let isComplete: Bool
    /// What the Wipe hook answered of what it keeps elsewhere; nil if there is none.
    package let isGoneElsewhere: Bool?
    /// Files in use at the deadline: the kernel drops their pages when the use ends.
    package let blockingFiles: [BlockingFile]
}

/// The progress of removing files.
package struct WipeProgress: Sendable {
    package let removed: Int
    /// In the current walk.
    package let scanned: Int
}
