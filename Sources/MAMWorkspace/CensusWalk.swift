// Counts all files by owner, class and state. Reads only headers.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Counts the tree's files by owner, class and state.
package struct CensusWalk: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    private static let reportMilliseconds = 200
    /// The limit on tracked files with several links, which any user could create to use up memory.
    private static let linkLimit = 500_000

    package func census(_ progressed: (Census) -> Bool) throws(VaultError) -> Census {
        var census = Census()
        /// Files with several links, which count once.
        var seen: Set<BackingID> = []
        var nextReport = Deadline(milliseconds: Self.reportMilliseconds)
        func goesOn() -> Bool {
            guard nextReport.hasPassed else { return !tree.isStopping }
            nextReport = Deadline(milliseconds: Self.reportMilliseconds)
            return progressed(census) && !tree.isStopping
        }
        var isWanted = true
        _ = Walk(tree).walk(while: {
            isWanted = goesOn()
            return isWanted
        }) { _, error in
            if !error.meansGone { census.unreadable += 1 }
        } _: { found in
            count(found, &census, &seen)
            return true
        }
        // Partial sums would be mistaken for totals.
        guard isWanted, !tree.isStopping else { throw VaultError(.canceled) }
        return census
    }

    private func count(
        _ found: WalkedEntry, _ census: inout Census, _ seen: inout Set<BackingID>
    ) {
        let (inode, attributes) = (found.entry.inode, found.entry.attributes)
        if inode.isDirectory { return census.directories += 1 }
        guard inode.isRegular else { return census.others += 1 }
        if attributes.st_nlink > 1 {
            guard !seen.contains(inode.backingID) else { return }
            guard seen.count < Self.linkLimit else { return census.skip() }
            seen.insert(inode.backingID)
        }
        let facts = inode.withState { $0.file?.facts ?? $0.facts }
        let header = facts?.header
        census.add(
            Census.Kind(
                header?.owner ?? .nobody, header?.sealing?.protectionClass,
                Protections(tree.vault).state(of: facts)),
            bytes: Int64(attributes.st_size), stored: Int64(attributes.st_blocks) * 512)
    }
}
