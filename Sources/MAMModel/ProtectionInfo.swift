// The answer to "whose is this file, and can it be read?".

/// How a file stands, in one word.
package enum ProtectionState: String, Sendable {
    /// No header of ours: shown as it is, owned by nobody.
    case foreign
    /// A header that names an unmanaged owner; the content is plain.
    case unmanaged
    /// A header that names an account, and the content is plain all the same.
    case unsealed
    /// Encrypted, and its window is open.
    case available
    /// Encrypted, and its window is closed until the account is unlocked.
    case closed
    /// Encrypted for an account whose keys are not on this device.
    case keyMissing = "key-missing"
    /// The header does not verify.
    case damaged
    /// Not a file: what its new files get.
    case directory
}

/// What is known of one file's protection.
package struct ProtectionInfo: Sendable {
    package let owner: Identity
    package let isManaged: Bool
    /// The class in the header, or that a directory asks for; nil for a file that is not encrypted.
    package let fileClass: ProtectionClass?
    /// The class after policy and ceiling, for a directory's new files too; nil for a file that is
    /// not encrypted.
    package let effectiveClass: ProtectionClass?
    package let state: ProtectionState
    /// One sentence on why the state is what it is.
    package let reason: String

    package init(
        owner: Identity, isManaged: Bool, fileClass: ProtectionClass?,
        effectiveClass: ProtectionClass?, state: ProtectionState, reason: String
    ) {
        self.owner = owner
        self.isManaged = isManaged
        self.fileClass = fileClass
        self.effectiveClass = effectiveClass
        self.state = state
        self.reason = reason
    }
}
