// Keys of an export that join an account of the same name: what is opened by them, and the joining.

package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
package import MAMTree
internal import MAMVault

/// How many sealed files name keys of an export.
package struct ExportedFiles: Sendable {
    package fileprivate(set) var named = 0
    /// Of those, how many its keys open.
    package fileprivate(set) var opened = 0
}

/// Adds the keys of an export to an account that is here.
package struct KeyJoins: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// The account that an export would join; nil if there is none of its name.
    package func account(joinedBy export: KeyExport) -> AccountID? {
        vault.keyring.account(matching: export.identity)
    }

    /// Goes through the whole tree.
    ///
    /// `shallGoOn`: whether the caller still waits. Never call this from a thread that serves the
    /// mount.
    package func files(
        of export: KeyExport, _ opened: ExportedKeys, for user: UInt32,
        while shallGoOn: () -> Bool
    ) throws(SearchEnd) -> ExportedFiles {
        var files = ExportedFiles()
        _ = try Claims(tree).hasClaim(for: user, while: shallGoOn) { claim in
            guard case .file(let file, _, let bytes) = claim, let sealing = file.header.sealing,
                export.names(sealing.keyID)
            else { return false }
            files.named += 1
            if opened.open(file.header, bytes() ?? [], of: export) { files.opened += 1 }
            return false
        }
        return files
    }

    /// Adds the keys of an export to an account's. Takes its passphrase as an unlock does, and has
    /// the consequences of a wrong one; its windows stay as they are.
    ///
    /// `user`: who asks for it.
    package func joinKeys(
        _ export: KeyExport, _ opened: ExportedKeys, to account: AccountID, user: UInt32,
        passphrase: SecretBytes?, while shallGoOn: () -> Bool
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        try NewNames(tree).refuseForged(export, opened, user: user, while: shallGoOn)
        do throws(KeyringError) {
            try vault.keyring.join(export, opened, to: account, passphrase: passphrase)
        } catch {
            if case .wrongPassphrase = error { Unlock(tree).noteWrongPassphrase(of: account) }
            throw error
        }
        vault.keyNews.tell()
        KeyImports(tree).noteImport(of: export, by: user, into: account)
        RecoveryUpdates(vault).updateRecovery(of: account)
        ClassPass(tree).sealJoinedFiles(of: account)
    }
}
