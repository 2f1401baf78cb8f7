// The keyring's locks that are held during key derivation and disk I/O.

internal import MAMLocks
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Listed in the order in which they are taken; the account table's own lock comes last.
/// `registrations` and `passphrases` are held during key derivation, so that `changes` and the
/// vault's locks never are; `changes` is held during disk I/O, one change at a time.
final class KeyringLocks: Sendable {
    /// Serialises an account's wipes. The vault's transitions come between this and the others.
    let wipes = LockTable<AccountID>()
    /// Serialises the creation of names, so that none is used twice.
    let registrations = Shares(total: 1)
    /// Held while an account's passphrase is tried or changed.
    let passphrases = LockTable<AccountID>()
    let changes = Mutex(())
}
