// Keys of an export that join an account of the same name: what is opened by them, and the joining.

package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel

/// How many sealed files name keys of an export.
package struct ExportedFiles: Sendable {
    package fileprivate(set) var named = 0
    /// Of those, how many its keys open.
    package fileprivate(set) var opened = 0
}

extension Vault {
    /// The account that an export would join; nil if there is none of its name.
    package func account(joinedBy export: KeyExport) -> AccountID? {
        keyring.account(matching: export.identity)
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
        _ = try hasClaim(for: user, while: shallGoOn) { claim in
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
        try refuseBlocked(account)
        try refuseForged(export, opened, user: user, while: shallGoOn)
        do throws(KeyringError) {
            try keyring.join(export, opened, to: account, passphrase: passphrase)
        } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
        keyNews.tell()
        noteImport(of: export, by: user, into: account)
        updateRecovery(of: account)
        sealJoinedFiles(of: account)
    }
}
