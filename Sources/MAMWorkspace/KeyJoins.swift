// Imports keys into an existing account of the same name, and finds the files that they open.

package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
package import MAMTree
internal import MAMVault

/// The number of sealed files that name keys of an export.
package struct ExportedFiles: Sendable {
    package fileprivate(set) var named = 0
    /// How many of those its keys open.
    package fileprivate(set) var opened = 0
}

/// Adds the keys of an export to an existing account.
package struct KeyJoins: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// The account of the export's name; nil if there is none.
    package func account(joinedBy export: KeyExport) -> AccountID? {
        vault.keyring.account(matching: export.identity)
    }

    /// Walks the whole tree.
    ///
    /// `shallGoOn`: whether the caller is still waiting. Never call this from a thread that serves
    /// the mount.
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

    /// Adds the keys of an export to an account. Requires its passphrase as an unlock does; a wrong
    /// one counts. Its windows stay as they are.
    ///
    /// `user`: the caller.
    package func joinKeys(
        _ export: KeyExport, _ opened: ExportedKeys, to account: AccountID, user: UInt32,
        passphrase: SecretBytes?, while shallGoOn: () -> Bool
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        try NewNames(tree).refuseForged(export, opened, user: user, while: shallGoOn)
        try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.join(export, opened, to: account, passphrase: passphrase)
        }
        vault.windows.keyNews.tell()
        KeyImports(tree).noteImport(of: export, by: user, into: account)
        RecoveryUpdates(vault).updateRecovery(of: account)
        ClassPass(tree).sealJoinedFiles(of: account)
    }
}
