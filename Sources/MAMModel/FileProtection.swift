// The answer to "who owns this file, and can it be read?".

/// A file's state, in one word.
package enum ProtectionState: String, Sendable, CaseIterable {
    /// The file has no header: it is shown unchanged, and nobody owns it.
    case foreign
    /// A header that names an unmanaged owner; the content is plain.
    case unmanaged
    /// The header names an account, but the content is plain.
    case unsealed
    /// Sealed, and its window is open.
    case available
    /// Sealed, and its window is closed until the account is unlocked.
    case closed
    /// Sealed for an account whose keys are not on this device.
    case keyMissing
    /// The header does not verify.
    case damaged
    /// Written by a newer version.
    case newer
    /// A directory: the record says what its new files get.
    case directory
}

/// One file's protection.
package struct FileProtection: Sendable {
    package let owner: Identity
    package let isManaged: Bool
    /// The class in the header, or the class that a directory requests; nil if not sealed.
    package let fileClass: ProtectionClass?
    /// The class after policy and ceiling, also for a directory's new files; nil if not sealed.
    package let effectiveClass: ProtectionClass?
    package let state: ProtectionState
    /// One sentence that explains the state.
    package let reason: Message

    package init(
        owner: Identity, isManaged: Bool, fileClass: ProtectionClass?,
        effectiveClass: ProtectionClass?, state: ProtectionState, reason: Message
    ) {
        self.owner = owner
        self.isManaged = isManaged
        self.fileClass = fileClass
        self.effectiveClass = effectiveClass
        self.state = state
        self.reason = reason
    }
}

/// An act that the rules allow or refuse.
package enum FileAct: String, Sendable, CaseIterable {
    case read, write
    /// Make a file in a directory.
    case create
}

/// What helps where a file has several names. mamctl says which they are in its place.
package let wayToOtherNames = "find MOUNTPOINT -samefile FILE, and leave one of them"
