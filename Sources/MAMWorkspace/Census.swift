// Counts files by owner, class and state.

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
package import MAMVault

/// The counts of a walk through the tree.
package struct Census: Sendable {
    /// What files are grouped by.
    package struct Kind: Sendable, Hashable {
        package let ownerName: String
        package let ownerObjectID: String
        /// Nil if not encrypted.
        package let fileClass: ProtectionClass?
        package let state: ProtectionState
    }

    package struct Sum: Sendable {
        package var files: Int64 = 0
        /// Plain sizes.
        package var bytes: Int64 = 0
        /// Allocated space on disk.
        package var storedBytes: Int64 = 0

        mutating func add(_ bytes: Int64, stored: Int64) {
            files += 1
            self.bytes.add(saturating: bytes)
            storedBytes.add(saturating: stored)
        }
    }

    package private(set) var sums: [Kind: Sum] = [:]
    package private(set) var total = Sum()
    package var directories: Int64 = 0
    /// Links, FIFOs, sockets, devices.
    package var others: Int64 = 0
    /// Files that could not be examined.
    package var unreadable: Int64 = 0
    /// Files of owners beyond ``limit``, and further links to files that may already be counted.
    package private(set) var uncounted: Int64 = 0

    /// A restored backup may contain any headers, each naming another owner.
    private static let limit = 1000

    package init() {}

    /// Counts a file as left out of the sums.
    package mutating func skip() { uncounted += 1 }

    package mutating func add(_ kind: Kind, bytes: Int64, stored: Int64) {
        total.add(bytes, stored: stored)
        guard sums[kind] != nil || sums.count < Self.limit else {
            uncounted += 1
            return
        }
        sums[kind, default: Sum()].add(bytes, stored: stored)
    }
}

extension Census.Kind {
    package init(_ owner: Identity, _ fileClass: ProtectionClass?, _ state: ProtectionState) {
        (ownerName, ownerObjectID) = (owner.name, owner.objectID)
        (self.fileClass, self.state) = (fileClass, state)
    }
}

/// Counts the tree's files by owner, class and state. Reads only headers.
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
