// The progress of a wipe.

/// The progress of removing files.
package struct WipeProgress: Sendable {
    package let removed: Int
    /// In the current walk.
    package let scanned: Int

    package init(removed: Int, scanned: Int) {
        self.removed = removed
        self.scanned = scanned
    }
}
