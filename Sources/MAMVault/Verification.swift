// What a check of a workspace finds, and what was done about it.

package import MAMStore
package import MAMSystem

/// What is wrong with one file, directory or keybag.
package struct Finding: Sendable {
    package enum Problem: String, Sendable {
        /// The header, or the key in it.
        case header
        /// `st_size` is that of no protected file.
        case size
        /// Blocks that do not verify.
        case blocks
        /// Blocks that a repair has given up.
        case lost
        /// All-zero blocks where the file has no hole.
        case zeros
        /// All-zero blocks at the end.
        case tail
        /// The size is not the one that the blocks were written for.
        case end
        /// Written by a later version.
        case newer
        /// Encrypted under a key that is not on this device.
        case keyMissing = "key-missing"
        /// The file system does not give it.
        case unreadable
        /// A file without a header: plain content that nobody made through a mount.
        case foreign
        /// A plain file of an account whose files are sealed.
        case unsealed
        /// A directory's class or owner for its new files that this daemon may not have set.
        case unproved
        /// A directory's class for its new files makes no sense.
        case directoryClass = "directory-class"
        /// A directory's owner for its new files makes no sense.
        case directoryOwner = "directory-owner"
        case keybag
        /// What an interrupted change left in the workspace's own directory.
        case leftover
        /// An account's wipe that did not come to its end.
        case wipe
    }

    package enum Outcome: Sendable, Equatable {
        /// It is as it was; why, where something could have been done.
        case left(String?)
        case repaired(String)
        /// The same, and what was in the file may be lost.
        case incomplete(String)
        /// Moved out of the tree, to this place.
        case quarantined(ByteString)
        /// It may be all right: it could not be looked at.
        case unchecked
        /// The same, for nobody but its owner can say that it may be read.
        case unreadable
        /// It is told, and nothing is wrong.
        case noted
    }

    package enum Place: String, Sendable { case backing, state }

    /// Whether the path is one below the backing directory or below the state directory.
    package let place: Place
    package let path: ByteString
    package let problem: Problem
    /// One sentence.
    package let reason: String
    package let blocks: BlockRanges
    package let outcome: Outcome

    package init(
        _ path: ByteString, in place: Place = .backing, _ problem: Problem, _ reason: String,
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
    /// A file or directory that the file system does not give. Rights that are closed are no
    /// damage.
    package init(_ path: ByteString, unreadableFor error: Errno) {
        let isClosed = error == .accessDenied || error == .notPermitted
        self.init(
            path, .unreadable, "it cannot be read: \(error)", isClosed ? .unreadable : .left(nil))
    }
}

/// How far a check has come.
package struct VerifyCounts: Sendable, Equatable {
    package var files: Int64 = 0
    package var bytes: Int64 = 0
    /// Of the files that were met so far.
    package var totalBytes: Int64 = 0
    /// Files whose content could not be checked, for want of their key.
    package var uncheckedFiles: Int64 = 0
    package var repaired: Int64 = 0
    /// Of the repaired ones, those after which content may be missing.
    package var incomplete: Int64 = 0
    package var quarantined: Int64 = 0
    /// Problems that are still there.
    package var left: Int64 = 0
    /// Problems that may be none.
    package var unchecked: Int64 = 0
    /// What this daemon may not read.
    package var unreadable: Int64 = 0
    /// Files without a header: all that is noted.
    package var foreign: Int64 = 0
    /// The whole workspace was checked, and what belongs to it.
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

/// Who waits for a check. Called on one thread; false ends it.
package protocol VerifyListener {
    func found(_ finding: Finding) -> Bool
    func progressed(_ counts: VerifyCounts) -> Bool
}
