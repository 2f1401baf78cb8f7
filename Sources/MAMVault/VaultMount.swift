// What the vault asks of the mount. The mount implements it; the vault knows nothing of FUSE.

package import MAMFormat
package import MAMModel
package import MAMSystem

/// A file of the mount, as far as it matters for what the kernel has cached of it. Telling which
/// needs no lock that is held over a system call on the backing file, for the disk may hang.
package enum CachedFile: Sendable {
    case open(VaultFile)
    /// Its header as it was last seen; nil for a file without one.
    case closed(FileHeader?)

    package var isOpen: Bool { if case .open = self { true } else { false } }
}

/// A protected file's header, and the user whose the file is in the backing directory.
package struct OwnedHeader: Sendable {
    package let header: FileHeader
    package let user: UInt32

    package init(_ header: FileHeader, user: UInt32) {
        self.header = header
        self.user = user
    }
}

/// What in the backing directory says whose content is, or will be.
package enum StoredClaim {
    /// `path`: below the backing directory. `bytes`: the whole header, as it is there; nil if it
    /// cannot be read.
    case file(OwnedHeader, path: () -> ByteString, bytes: () -> [UInt8]?)
    /// The default owner of what is made in a directory, and the user whose the directory is.
    case directory(Identity, user: UInt32)
}

/// The mounted side of the vault's files.
package protocol VaultMount: Sendable {
    /// Has everything written back that the kernel has cached of files for which `isAffected`
    /// holds, and drops it.
    ///
    /// Returns when nothing is left, or at the deadline: then with the numbers of the files that
    /// are still in the way. Never call this from a thread that serves the mount.
    func purge(
        until deadline: Deadline,
        _ isAffected: @escaping @Sendable (CachedFile) -> Bool
    ) -> [UInt64]

    /// What these files are and who uses them. Takes its time: every process is looked at.
    func stragglers(_ nodes: [UInt64]) -> [Straggler]

    /// Walks the whole tree and has the class of every file updated for which `isWanted` holds,
    /// given its header. False if that could not be done for one, or `shallGoOn` ended it. What was
    /// written is synced before this returns.
    func updateClasses(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool

    /// Walks the whole tree and seals every file anew for which `isWanted` holds, given its header:
    /// under a new key, as the class that it has. False if one is left, or `shallGoOn` ended it.
    /// What was done is synced before this returns.
    func sealAnew(
        of isWanted: @Sendable (FileHeader) -> Bool, while shallGoOn: @Sendable () -> Bool
    ) -> Bool

    /// Goes through the tree until `isWanted` holds for something. False if it held for nothing;
    /// nil if not all was seen: `shallGoOn` ended it, the mount ends, or something is unreadable,
    /// which `failed` is told of. What rights keep from the daemon is none of that.
    func hasClaim(
        where isWanted: (StoredClaim) -> Bool, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void
    ) -> Bool?

    /// Removes every file for which `isWanted` holds, given its header, with all its names,
    /// wherever it is in the backing directory. What is removed is synced, and looked for once
    /// more, before this returns.
    func removeFiles(
        where isWanted: (OwnedHeader) -> Bool, progressed: (WipeProgress) -> Void
    ) -> RemovedFiles

    /// True if nothing can be written.
    var isReadOnly: Bool { get }
}

/// How far the removing of files is.
package struct WipeProgress: Sendable {
    package let removed: Int
    /// In the walk that goes on.
    package let scanned: Int

    package init(removed: Int, scanned: Int) {
        self.removed = removed
        self.scanned = scanned
    }
}

/// What came of removing files.
package struct RemovedFiles: Sendable {
    /// How many names are gone.
    package var count = 0
    /// Of the last walk: how many files were looked at, and how many of those were to be removed.
    /// None proves that none is left.
    package var scanned = 0
    package var found = 0
    /// The first of those that are still there, or could not be looked at; below the backing
    /// directory.
    package private(set) var left: [ByteString] = []
    package private(set) var leftCount = 0
    /// True if it is proved that no such file is there.
    package var isComplete = false

    /// As many as anybody reads.
    private static let shownCount = 100

    package init() {}

    /// What is left is that of the last walk.
    package mutating func beginSweep() {
        (scanned, found, leftCount) = (0, 0, 0)
        left = []
    }

    package mutating func noteLeft(_ path: ByteString) {
        leftCount += 1
        if left.count < Self.shownCount { left.append(path) }
    }

    /// Of a wipe that another one has carried to its end.
    static var nothingLeft: RemovedFiles {
        var files = RemovedFiles()
        files.isComplete = true
        return files
    }
}

/// A file that a lock could not get the kernel's cached content of.
package struct Straggler: Sendable {
    /// Where it is in the mount.
    package let path: ByteString
    /// The processes that have it open or mapped, as far as the daemon may see them.
    package let processes: [ProcessName]

    package init(path: ByteString, processes: [ProcessName]) {
        self.path = path
        self.processes = processes
    }
}

extension Straggler: CustomStringConvertible {
    package var description: String {
        let users = processes.map(\.description).joined(separator: ", ")
        return
            "\(path.shown) is being written or read by"
            + " \(users.isEmpty ? "a process that is not visible" : users)"
    }
}
