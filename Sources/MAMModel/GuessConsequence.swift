// What wrong passphrases cost.

/// What one wrong passphrase too many leads to.
package enum GuessConsequence: String, Sendable, CaseIterable {
    /// The account is closed until a login.
    case lockedOut
    /// Its keys and files are destroyed.
    case wiped
}
