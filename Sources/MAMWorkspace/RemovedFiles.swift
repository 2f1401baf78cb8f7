// What a wipe has removed, and what it could not.

package import MAMSystem

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
