// Why something is refused, for who knows what to do about it.

package enum RefusalCause: String, Sendable {
    /// Policy forbids it.
    case policy
    /// Policy asks for a better passphrase.
    case passphrase
}
