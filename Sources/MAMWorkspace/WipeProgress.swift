// How far a wipe is.

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
