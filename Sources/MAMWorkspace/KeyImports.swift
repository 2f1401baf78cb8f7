// Imports an account's keys from another machine.

internal import MAMAudit
package import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Registers the account in an export or a recovery record.
package struct KeyImports: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Registers the account of an opened export, with its ids and keys.
    /// ``refusal(of:user:while:)`` decides who may.
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

    func noteImport(of export: KeyExport, by user: UInt32, into account: AccountID) {
        let joined = account == export.accountID ? "" : ", and joined those that it has"
        vault.audit(
            .keysImported, account,
            "the keys of \(export.identity) were imported by uid \(user) from"
                + " \(export.source)\(joined)"
        )
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
