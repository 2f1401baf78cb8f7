// The locks of the keyring that are held over key derivation and over disk.

internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// In the order in which they are taken; the table of accounts has a lock of its own, the last.
/// The first two are held over key derivation, so that nobody holds `changes` or the vault's locks
/// for as long as that takes; `changes` is held over disk, one change at a time.
final class KeyringLocks: Sendable {
    /// Who makes a new name: one at a time, for no name may be taken twice.
    let registrations = Shares(total: 1)
    /// Who tries or changes an account's passphrase.
    let passphrases = LockTable<AccountID>()
    let changes = Mutex(())
}
