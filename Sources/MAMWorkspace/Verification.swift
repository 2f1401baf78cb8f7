// The findings of a workspace check, and the repairs made.

internal import MAMAudit
package import MAMModel
package import MAMStore
internal import MAMSystem
internal import MAMVault

/// A problem with one file, directory or keybag.
package struct Finding: Sendable {
    package enum Problem: String, Sendable, CaseIterable {
        /// The header, or the key in it.
        case header
        /// No protected file has this `st_size`.
        case size
        /// Blocks that do not verify.
        case blocks
        /// Blocks that a repair marked as lost.
        case lost
        /// All-zero blocks in a file without holes.
        case zeros
        /// All-zero blocks at the end.
        case tail
        /// The size contradicts the last block.
        case end
        /// Written by a newer version.
        case newer
        /// Encrypted under a key that is not on this device.
        case keyMissing
        /// Reading it fails.
        case unreadable
        /// A file without a header: plain content that was not created through a mount.
        case foreign
        /// A plain file of an account whose files are sealed.
        case unsealed
        /// A directory's class or owner for new files that this daemon may not have set.
        case unproved
        /// A directory's class for new files is invalid.
        case directoryClass
        /// A directory's owner for new files is invalid.
        case directoryOwner
        case keybag
        /// A leftover of an interrupted change in the workspace's own directory.
        case leftover
        /// An account's wipe that has not completed.
        case wipe
    }

    package enum Outcome: Sendable, Equatable {
        /// Unchanged; the reason, if a repair would have been possible.
        case left(String?)
        case repaired(String)
        /// Repaired, but some of the file's content may be lost.
        case incomplete(String)
        /// Moved out of the tree to this path.
        case quarantined(ByteString)
        /// Not checked, so possibly intact.
        case unchecked
        /// Not checked, because only its owner can permit reading it.
        case unreadable
        /// Reported, but nothing is wrong.
        case noted
    }

    package enum Root: String, Sendable, CaseIterable { case backing, state }

    /// Whether the path is relative to the backing directory or to the state directory.
    package let place: Root
    package let path: ByteString
    package let problem: Problem
    /// One sentence.
    package let reason: Message
    package let blocks: BlockRanges
    package let outcome: Outcome

    package init(
        _ path: ByteString, in place: Root = .backing, _ problem: Problem, _ reason: Message,
        blocks: BlockRanges = .init(), _ outcome: Outcome
    ) {
        self.path = path
        self.place = place
        self.problem = problem
        self.reason = reason
        self.blocks = blocks
        self.outcome = outcome
    }
}

extension Finding {
    /// A file or directory that cannot be read. Missing permissions are no damage.
    package init(_ path: ByteString, unreadableFor error: Errno) {
        let isClosed = error == .accessDenied || error == .notPermitted
        self.init(
            path, .unreadable, "it cannot be read: \(error)", isClosed ? .unreadable : .left(nil))
    }
}

/// The progress of a check.
package struct VerifyCounts: Sendable, Equatable {
    package var files: Int64 = 0
    package var bytes: Int64 = 0
    /// Of the files examined so far.
    package var totalBytes: Int64 = 0
    /// Files whose content could not be checked for lack of their key.
    package var uncheckedFiles: Int64 = 0
    package var repaired: Int64 = 0
    /// Repaired files whose content may be incomplete.
    package var incomplete: Int64 = 0
    package var quarantined: Int64 = 0
    /// Problems that remain.
    package var left: Int64 = 0
    /// Possible problems that could not be checked.
    package var unchecked: Int64 = 0
    /// Files that this daemon may not read.
    package var unreadable: Int64 = 0
    /// Files without a header: the only noted findings.
    package var foreign: Int64 = 0
    /// The whole workspace, including its own files, was checked.
    package var isWhole = false

    package init() {}

    package mutating func count(_ outcome: Finding.Outcome) {
        switch outcome {
        case .left: left += 1
        case .repaired: repaired += 1
        case .incomplete:
            repaired += 1
            incomplete += 1
        case .quarantined: quarantined += 1
        case .unchecked: unchecked += 1
        case .unreadable: unreadable += 1
        case .noted: foreign += 1
        }
    }
}

/// The caller that waits for a check. Called on one thread; false ends the check.
package protocol VerifyListener {
    func found(_ finding: Finding) -> Bool
    func progressed(_ counts: VerifyCounts) -> Bool
}

extension FileAudit {
    /// Damage found by a check.
    func audit(_ finding: Finding) {
        guard finding.problem.isDamage else { return }
        let place = finding.path.shown
        vault.sinks.trail.add(
            AuditKey(.damaged, operation: place, reason: finding.problem.rawValue)
        ) {
            AuditRecord(
                .damaged, path: finding.place == .backing ? place : "state: \(place)",
                operation: "Workspace.Verify", reason: finding.reason.english)
        }
    }
}

extension Finding.Problem {
    /// True if the stored bytes are at fault.
    fileprivate var isDamage: Bool {
        switch self {
        case .header, .size, .blocks, .lost, .zeros, .tail, .end, .unsealed, .unproved, .keybag:
            true
        case .newer, .keyMissing, .unreadable, .foreign, .directoryClass, .directoryOwner,
            .leftover, .wipe:
            false
        }
    }
}
