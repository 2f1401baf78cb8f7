// An account as callers see it.

internal import MAMCrypto
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy

/// One account and its state.
package struct AccountStatus: Sendable {
    package let id: AccountID
    package let identity: Identity
    /// The user that registered it.
    package let user: UInt32
    package let state: WindowState
    package let hasPassphrase: Bool
    /// True for the default owner of what ``user`` creates.
    package let isDefault: Bool
    package let retryAfterSeconds: Int
    /// Policy names a recovery key, so the organisation can open its files.
    package var isRecoverable = false
    /// How long someone with the disk needs to guess the weakest passphrase that policy allows;
    /// nil: over a month.
    package var guessableSeconds: Int?
    package var block: AccountBlock?
    package var enrollment: EnrollmentReport?
}

extension AccountStatus {
    /// For an account that no longer exists.
    package init(_ wipe: WipeIntent) {
        self.init(
            id: wipe.account, identity: wipe.identity, user: wipe.uid, state: .locked,
            hasPassphrase: false, isDefault: false, retryAfterSeconds: 0)
    }

    /// What other users may know. The rest is as of any account with a passphrase.
    package var withNameAndStateOnly: AccountStatus {
        AccountStatus(
            id: id, identity: identity, user: user, state: state, hasPassphrase: true,
            isDefault: false, retryAfterSeconds: 0)
    }
}
