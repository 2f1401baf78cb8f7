// An account's keys for another machine, and from one: out under a passphrase, in from an export or
// a recovery record.

package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem

extension Vault {
    /// The account's keys under a passphrase of their own. Takes the account's passphrase also
    /// while it is unlocked, and has the consequences of a wrong one. Of a weak passphrase of the
    /// export nothing is tried.
    package func exportKeys(
        of account: AccountID, passphrase: SecretBytes?, under exportPassphrase: SecretBytes
    ) throws(KeyringError) -> KeyExport {
        try refuseBlocked(account)
        guard policy(of: account).rules.dataBackupBlocked != true else {
            throw .refused(
                "policy does not let \(identity(of: account)) be backed up (dataBackupBlocked): its"
                    + " keys stay here"
            )
        }
        try judge(export: exportPassphrase, policy(of: account))
        do throws(KeyringError) {
            let export = try keyring.export(
                account, passphrase: passphrase, under: exportPassphrase)
            noteExport(of: account)
            return export
        } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
    }

    private func judge(
        export passphrase: SecretBytes, _ policy: EffectivePolicy
    ) throws(KeyringError) {
        guard let flaw = passphrase.withBytes({ policy.pin.flaw(forFile: $0) }) else { return }
        throw .refused(
            "the export's passphrase is not good enough: \(flaw)",
            next: "mamctl account export, with a better passphrase")
    }

    /// Registers the account of an export that was opened, with its ids and keys. Who may tells
    /// ``refusal(of:user:while:)``.
    ///
    /// `passphrase`: nil for keys that the device secret alone opens. `shallGoOn`: whether the
    /// caller still waits.
    package func importKeys(
        _ export: KeyExport, _ opened: ExportedKeys, user: UInt32, passphrase: SecretBytes?,
        while shallGoOn: () -> Bool
    ) throws(KeyringError) -> AccountID {
        let (account, identity) = (export.accountID, export.identity)
        try refuseForged(export, opened, user: user, while: shallGoOn)
        try judgeNew(passphrase, policies.policy(for: identity))
        return try registering(for: user) { () throws(KeyringError) in
            _ = try beginning { begin throws(KeyringError) in
                try keyring.add(
                    export, opened, uid: user, passphrase: passphrase, preparing: begin)
                return account
            }
            noteImport(of: export, by: user, into: export.accountID)
            begin(account)
            return account
        }
    }

    // MARK: What an audit has to tell

    private func noteExport(of account: AccountID) {
        audit(.keysExported, account, "the keys of \(identity(of: account)) were exported")
    }

    func noteImport(of export: KeyExport, by user: UInt32, into account: AccountID) {
        let source =
            switch export.lock {
            case .passphrase: "an export"
            case .recoveryKey(let key, _): "a recovery record, with the key \(key.shortName)"
            }
        let joined = account == export.accountID ? "" : ", and joined those that it has"
        audit(
            .keysImported, account,
            "the keys of \(export.identity) were imported by uid \(user) from \(source)\(joined)")
    }

    func noteRecoveryKey(_ key: RecoveryPublicKey, of account: AccountID) {
        audit(
            .recoveryKey, account,
            "the holder of the recovery key \(key.shortName) can open the files of"
                + " \(identity(of: account)) from now on"
        )
    }
}
