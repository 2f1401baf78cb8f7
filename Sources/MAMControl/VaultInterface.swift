// What all have that ask the vault for a client: rights, accounts, and the vault's errors as the
// caller's.

internal import MAMTree
internal import MAMVault

/// Whatever answers calls out of the vault.
protocol VaultService: Sendable {
    var tree: Tree { get }
}

extension VaultService {
    var vault: Vault { tree.vault }
}

/// An interface over the vault.
protocol VaultInterface: VaultService, VarlinkInterface {}
