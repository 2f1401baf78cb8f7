// The base of the interfaces over the vault.

internal import MAMTree
internal import MAMVault

/// Answers calls from the vault.
protocol VaultService: Sendable {
    var tree: Tree { get }
}

extension VaultService {
    var vault: Vault { tree.vault }
}

/// An interface over the vault.
protocol VaultInterface: VaultService, VarlinkInterface {
    associatedtype Method: RawRepresentable<String>
}

extension VaultInterface {
    package func has(method: String) -> Bool { Method(rawValue: method) != nil }
}
