// Whether a program may start to use an account now.

package import MAMCrypto
internal import MAMKeyring
package import MAMModel
internal import MAMTree
internal import MAMVault

/// The result of requesting an account.
package enum Launch: Sendable, Equatable {
    case ready
    /// The user did not give what was required.
    case canceled(String)
    case failed(String)
}

extension LaunchChecks {
    /// Checks policy's conditions for using an account, and unlocks it.
    package func prepareLaunch(_ account: AccountID, passphrase: SecretBytes?) -> Launch {
        checkLaunch(account)
        if let block = vault.block(of: account), !block.endsWithUnlock {
            return .failed(block.reason.english)
        }
        let isLocked = vault.windows[account]?.state != .unlocked
        if isLocked, passphrase == nil, vault.keyring.hasPassphrase(account) {
            return .canceled("the account is locked, and no passphrase was given")
        }
        guard isLocked || passphrase != nil else { return .ready }
        do throws(KeyringError) {
            try Unlock(tree).unlock(account, passphrase: passphrase)
            return .ready
        } catch { return .failed(error.description) }
    }
}
