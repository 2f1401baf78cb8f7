// What came of a wipe.

internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMVault

/// What came of a wipe.
package struct WipeOutcome: Sendable {
    package let files: RemovedFiles
    /// False if something is left: the wipe goes on at the next start, or when it is asked for
    /// again.
    package let isComplete: Bool
    /// Files that something was in the middle of using at the deadline: what the kernel has of them
    /// goes when it leaves.
    package let blockingFiles: [BlockingFile]
}
