// The progress of a wipe, and its result.

internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMVault

/// The result of a wipe.
package struct WipeOutcome: Sendable {
    package let files: RemovedFiles
    /// False if something is left: the wipe continues at the next start, or when requested again.
    package let isComplete: Bool
    /// What the Wipe hook answered of what it keeps elsewhere; nil if there is none.
    package let isGoneElsewhere: Bool?
    /// Files in use at the deadline: the kernel drops their pages when the use ends.
    package let blockingFiles: [BlockingFile]
}

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
