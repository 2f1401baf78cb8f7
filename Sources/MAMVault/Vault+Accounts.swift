// Accounts by name, identity and user.

internal import Glibc
internal import MAMCrypto
internal import MAMEnrollment
package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMSettings
internal import MAMStore
internal import MAMSystem
internal import Synchronization

extension Vault {
    package var openFileCount: Int { openFiles.all.count }

    package func identity(of account: AccountID) -> Identity { keyring.identity(of: account) }

    /// By name, object id or account id, as a person types it.
    package func account(named text: String) -> AccountID? {
        keyring.accounts.first {
            keyring.identity(of: $0).matches(text) || $0.bytes.description == text.lowercased()
        }
    }

    /// The user that registered the account of an identity; nil if it is no account.
    package func registrant(of identity: Identity) -> UInt32? {
        account(of: identity).flatMap { keyring.uid(of: $0) }
    }

    /// The user that registered the account whose key a file needs; nil for a file without a known
    /// key.
    package func registrant(of header: FileHeader) -> UInt32? {
        guard let sealing = header.sealing, let account = keyring.account(ofKey: sealing.keyID)
        else { return nil }
        return keyring.uid(of: account)
    }

    /// The account of an identity, whose name may be an object id: that is what people type.
    package func account(of identity: Identity) -> AccountID? {
        keyring.account(matching: identity) ?? account(named: identity.name)
    }

    /// Whose key seals a file: the account, as headers name it.
    package func holder(of header: FileHeader) -> Identity? {
        header.sealing.flatMap { keyring.account(ofKey: $0.keyID) }.map { keyring.identity(of: $0) }
    }

    /// False for an account that is not here, or was deregistered with its keys kept.
    package func isRegistered(_ account: AccountID) -> Bool {
        enrollments.record(of: account).map { $0.stage != .signedOut } ?? false
    }

    package func isRegistered(_ identity: Identity) -> Bool {
        account(of: identity).map { isRegistered($0) } ?? false
    }

    /// The account that is the default owner of what a user creates.
    package func defaultAccount(ofUser user: UInt32) -> AccountID? {
        keyring.accounts.first { keyring.uid(of: $0) == user && isRegistered($0) }
    }

    /// Who may have accounts here; changes with the settings.
    package var accountRules: AccountRules { currentAccountRules.withLock { $0 } }

    package func lockCount(of account: AccountID) -> Int { windows(of: account)?.lockCount ?? 0 }

    /// Erases all keys but those of class D, once nothing can be written any more.
    package func dropAllKeys() { keyring.dropAllKeys() }

    /// True for an identity whose files are encrypted here.
    package func isManaged(_ identity: Identity) -> Bool { account(of: identity) != nil }

    /// The owner as it stands in headers: an account's own spelling, else as given.
    package func canonical(_ identity: Identity) -> Identity {
        account(of: identity).map { keyring.identity(of: $0) } ?? identity
    }

    /// True where accounts are more than looked at.
    package var isEnrolling: Bool { enrollments.source.withLock { $0 != nil } }
}
