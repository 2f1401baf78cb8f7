// What one type of this module does with the tree.

internal import MAMTree
internal import MAMVault

protocol UseCase: Sendable {
    var tree: Tree { get }
}

extension UseCase {
    var vault: Vault { tree.vault }
}
