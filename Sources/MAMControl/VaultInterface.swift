// What all have that ask the vault for a client: rights, accounts, and the vault's errors as the
// caller's.

internal import MAMVault

/// Whatever answers calls out of the vault.
protocol VaultService: Sendable {
    var vault: Vault { get }
}

/// An interface over the vault.
protocol VaultInterface: VaultService, VarlinkInterface {}
