// What all interfaces have that ask the vault: rights, accounts, and the vault's errors as the caller's.

internal import MAMVault

/// An interface over the vault.
protocol VaultInterface: VarlinkInterface {
    var vault: Vault { get }
}
