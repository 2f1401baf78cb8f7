// What blocks an account, and the corresponding errors.

internal import MAMAudit
internal import MAMCrypto
package import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMStore
internal import MAMSystem

extension Vault {
    /// What blocks an account, apart from a lock.
    package func block(of account: AccountID) -> AccountBlock? {
        enrollments.blocks.current(of: account)
    }

    /// Refuses an unlock that would open nothing.
    package func refuseBlocked(_ account: AccountID) throws(KeyringError) {
        if let block = block(of: account), !block.endsWithUnlock { throw .blocked(block) }
    }

    /// Why a window refuses access.
    package func refusal(of window: AccessWindow, _ header: FileHeader?) -> VaultError {
        window.state == .revoked
            ? .keyRevoked(header?.owner ?? .nobody) : closure(of: header)
    }

    /// Why nothing of an account can be opened or created.
    package func closure(of account: AccountID?, _ owner: Identity) -> VaultError {
        guard let account, let block = block(of: account) else { return .windowClosed(owner) }
        return .blocked(owner, block)
    }

    /// Why a file with this header is unavailable.
    package func closure(of header: FileHeader?) -> VaultError {
        let owner = header?.owner ?? .nobody
        guard let key = header?.sealing?.keyID else { return .keyMissing(owner) }
        if keyring.wipes.first(ofKey: key) != nil { return .keyRevoked(owner) }
        guard let account = keyring.account(ofKey: key) else { return .keyMissing(owner) }
        return closure(of: account, owner)
    }
}
