// Counting all files by owner, class and state. Headers alone are read.

internal import CFuse3
internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMVault

extension FileSystem {
    private static let reportMilliseconds = 200

    package func census(_ progressed: (Census) -> Bool) throws(VaultError) -> Census {
        var census = Census()
        /// Files with several names: they count once.
        var seen: Set<BackingID> = []
        var nextReport = Deadline(milliseconds: Self.reportMilliseconds)
        var goesOn = true
        _ = walk(while: { goesOn && !isStopping }) { _, error in
            if !error.meansGone { census.unreadable += 1 }
        } _: { found in
            count(found, &census, &seen)
            if nextReport.hasPassed {
                nextReport = Deadline(milliseconds: Self.reportMilliseconds)
                goesOn = progressed(census)
            }
            return true
        }
        // A part of the sums would be taken for all of them.
        guard goesOn, !isStopping else { throw VaultError(.canceled) }
        return census
    }

    private func count(
        _ found: WalkedEntry, _ census: inout Census, _ seen: inout Set<BackingID>
    ) {
        let (inode, attributes) = (found.entry.inode, found.entry.attributes)
        if inode.isDirectory { return census.directories += 1 }
        guard inode.isRegular else { return census.others += 1 }
        guard attributes.st_nlink < 2 || seen.insert(inode.backingID).inserted else { return }
        let facts = inode.withState { $0.file?.facts ?? $0.facts }
        let header = facts?.header
        census.add(
            Census.Kind(
                header?.owner ?? .nobody, header?.sealing?.protectionClass,
                vault.state(of: facts)),
            bytes: Int64(attributes.st_size), stored: Int64(attributes.st_blocks) * 512)
    }
}
