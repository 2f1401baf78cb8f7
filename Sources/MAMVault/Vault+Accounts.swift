// Finds accounts by name, identity and user, and the policies in force for them.

internal import Glibc
internal import MAMCrypto
internal import MAMEnrollment
package import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMStore
internal import MAMSystem

extension Vault {
    package var openFileCount: Int { openFiles.all.count }

    package func identity(of account: AccountID) -> Identity { keyring.identity(of: account) }

    /// By name, object id or account id, as the user typed it.
    package func account(named text: String) -> AccountID? {
        keyring.accounts.first {
            keyring.identity(of: $0).matches(text) || $0.bytes.description == text.lowercased()
        }
    }

    /// The user that registered the account of an identity; nil if it is unmanaged.
    package func registrant(of identity: Identity) -> UInt32? {
        account(of: identity).flatMap { keyring.uid(of: $0) }
    }

    /// The user that registered the account of a file's key; nil if the key is unknown.
    package func registrant(of header: FileHeader) -> UInt32? {
        guard let sealing = header.sealing, let account = keyring.account(ofKey: sealing.keyID)
        else { return nil }
        return keyring.uid(of: account)
    }

    /// The account of an identity, whose name may be an object id, because users type those.
    package func account(of identity: Identity) -> AccountID? {
        keyring.account(matching: identity) ?? account(named: identity.name)
    }

    /// The account whose key seals a file, as headers name it.
    package func holder(of header: FileHeader) -> Identity? {
        header.sealing.flatMap { keyring.account(ofKey: $0.keyID) }.map { keyring.identity(of: $0) }
    }

    /// False for an unknown account, and for one deregistered without a wipe.
    package func isRegistered(_ account: AccountID) -> Bool {
        enrollments.record(of: account).map { $0.stage != .signedOut } ?? false
    }

    package func isRegistered(_ identity: Identity) -> Bool {
        account(of: identity).map { isRegistered($0) } ?? false
    }

    /// The account that owns what a user creates by default.
    package func defaultAccount(ofUser user: UInt32) -> AccountID? {
        keyring.accounts.first { keyring.uid(of: $0) == user && isRegistered($0) }
    }

    /// Which accounts are allowed, and for which users; changes with the settings.
    package var accountRules: AccountRules { rules.accountRules }

    package func lockCount(of account: AccountID) -> Int { windows[account]?.lockCount ?? 0 }

    /// Erases all keys except class D's, once nothing can be written any more.
    package func dropAllKeys() { keyring.dropAllKeys() }

    /// True for an identity whose files are encrypted here.
    package func isManaged(_ identity: Identity) -> Bool { account(of: identity) != nil }

    /// The owner as headers spell it: the account's own spelling, else as given.
    package func canonical(_ identity: Identity) -> Identity {
        account(of: identity).map { keyring.identity(of: $0) } ?? identity
    }

    /// False if accounts are only inspected.
    package var isEnrolling: Bool { enrollments.policySource != nil }
}

// The policies in force, by account.
extension Vault {
    package var policies: PolicyBook { rules.book }

    /// An account's policy.
    package func policy(of account: AccountID) -> EffectivePolicy { merged(of: account).policy }

    package func merged(of account: AccountID) -> MergedPolicy {
        rules.policy(of: account) { keyring.identity(of: account) }
    }

    /// An identity's policy; empty if it is unmanaged.
    package func policy(of identity: Identity) -> EffectivePolicy {
        account(of: identity).map { policy(of: $0) } ?? .unrestricted
    }

    /// The policy for a file whose owner is not known yet: the most restrictive of all accounts.
    package var mergedOfAll: MergedPolicy {
        rules.policyOfAll { keyring.accounts.map { keyring.identity(of: $0) } }
    }

    package var refusedDocuments: [RefusedDocument] { rules.refused }
}
