// Exports an account's keys for another machine, and imports them there: as an account, or into one
// of the same name.

internal import MAMAudit
package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// The number of sealed files that name keys of an export.
package struct ExportedFiles: Sendable {
    package fileprivate(set) var named = 0
    /// How many of those its keys open.
    package fileprivate(set) var opened = 0
}

/// Moves an account's keys between machines.
package struct KeyTransport: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Exports the account's keys under a separate passphrase. Requires the account's passphrase
    /// even while it is unlocked; a wrong one counts. If the export's passphrase is too weak, the
    /// account's is not tried.
    package func exportKeys(
        of account: AccountID, passphrase: SecretBytes?, under exportPassphrase: SecretBytes
    ) throws(KeyringError) -> KeyExport {
        try vault.refuseBlocked(account)
        guard vault.policy(of: account).rules.dataBackupBlocked != true else {
            throw .refused(
                "policy does not let \(vault.identity(of: account)) be backed up"
                    + " (dataBackupBlocked): its keys stay here", cause: .policy)
        }
        try judge(export: exportPassphrase, vault.policy(of: account))
        let export = try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.export(account, passphrase: passphrase, under: exportPassphrase)
        }
        vault.audit(
            .keysExported, account, "the keys of \(vault.identity(of: account)) were exported")
        return export
    }

    private func judge(
        export passphrase: SecretBytes, _ policy: EffectivePolicy
    ) throws(KeyringError) {
        guard let flaw = passphrase.withBytes({ policy.pin.flaw(forFile: $0) }) else { return }
        throw .refused(
            "the export's passphrase is not good enough: \(flaw)",
            next: "mamctl account export, with a better passphrase", cause: .passphrase)
    }

    /// Whether an export, which need not be opened, has every key that the account has now.
    package func holdsAllKeys(_ export: KeyExport, of account: AccountID) -> Bool {
        vault.keyring.recovery.holdsAllKeys(export, of: account)
    }

    // MARK: Imports

    /// Registers the account of an opened export, with its ids and keys.
    /// ``Registration/refusal(of:user:while:)`` decides who may.
    ///
    /// `passphrase`: nil for keys that the device secret alone opens. `shallGoOn`: whether the
    /// caller is still waiting.
    package func importKeys(
        _ export: KeyExport, _ opened: ExportedKeys, user: UInt32, passphrase: SecretBytes?,
        while shallGoOn: () -> Bool
    ) throws(KeyringError) -> AccountID {
        let (account, identity) = (export.accountID, export.identity)
        try NewNames(tree).refuseForged(export, opened, user: user, while: shallGoOn)
        try Passphrases(tree).judgeNew(passphrase, vault.policies.policy(for: identity))
        return try Registration(tree).registering(for: user) { () throws(KeyringError) in
            _ = try Registration(tree).beginning { begin throws(KeyringError) in
                try vault.keyring.add(
                    export, opened, uid: user, passphrase: passphrase, preparing: begin)
                return account
            }
            noteImport(of: export, by: user, into: export.accountID)
            Registration(tree).begin(account)
            return account
        }
    }

    private func noteImport(of export: KeyExport, by user: UInt32, into account: AccountID) {
        let joined = account == export.accountID ? "" : ", and joined those that it has"
        vault.audit(
            .keysImported, account,
            "the keys of \(export.identity) were imported by uid \(user) from"
                + " \(export.source)\(joined)"
        )
    }

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
        noteImport(of: export, by: user, into: account)
        RecoveryUpdates(vault).updateRecovery(of: account)
        ClassPass(tree).sealJoinedFiles(of: account)
    }
}

extension KeyExport {
    /// For the audit.
    var source: String {
        switch lock {
        case .passphrase: "an export"
        case .recoveryKey(let key, _): "a recovery record, with the key \(key.shortName)"
        }
    }
}
