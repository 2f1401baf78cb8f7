// The files that a wipe removed, and those it could not.

package import MAMModel
internal import MAMSystem

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
