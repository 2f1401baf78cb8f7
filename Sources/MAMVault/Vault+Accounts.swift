// Accounts as the edges see them.

package import MAMCrypto
internal import MAMEnrollment
package import MAMFormat
package import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSystem
internal import Synchronization

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
    /// Policy names a recovery key: the organisation can open its files.
    package var isRecoverable = false
    /// Within so many seconds who has the disk guesses the weakest passphrase that policy allows;
    /// nil: not within a month.
    package var guessableSeconds: Int?
    package var block: AccountBlock?
    package var enrollment: EnrollmentReport?
}

extension Vault {
    package var accounts: [AccountStatus] {
        keyring.accounts.map { account in
            let user = keyring.uid(of: account) ?? 0
            return AccountStatus(
                id: account, identity: keyring.identity(of: account), user: user,
                state: windows(of: account)?.state ?? .beforeFirstUnlock,
                hasPassphrase: keyring.hasPassphrase(account),
                isDefault: !settings.multiIdentity && defaultAccount(ofUser: user) == account,
                retryAfterSeconds: Int(keyring.retryAfterSeconds(account)),
                isRecoverable: !recoveryKeys(of: account).isEmpty,
                guessableSeconds: keyring.hasPassphrase(account)
                    ? guessableSeconds(under: merged(of: account).policy) : nil,
                block: block(of: account), enrollment: enrollment(of: account))
        }
    }

    /// A device secret that the service manager keeps is taken for one that is not on the disk.
    private func guessableSeconds(under policy: EffectivePolicy) -> Int? {
        keyring.hasSecretOfItsOwn ? policy.pin.guessableSeconds : nil
    }

    /// What these documents allow, if they say anything of passphrases at all.
    package func guessableSeconds(under documents: [PolicyDocument]) -> Int? {
        let documents = documents.filter {
            $0.kind == .protection && $0.isAssigned && $0.rules.pinRequired != nil
        }
        return documents.isEmpty ? nil : guessableSeconds(under: EffectivePolicy.merge(documents))
    }

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
    func account(of identity: Identity) -> AccountID? {
        keyring.account(matching: identity) ?? account(named: identity.name)
    }

    /// Makes an account's keys and opens its windows; of one that was deregistered with its keys
    /// kept, opens those. Who may register tells ``refusal(of:user:while:)``.
    ///
    /// `user`: the uid whose default identity it becomes, in single-identity mode.
    /// `passphrase`: nil for keys that the device secret alone opens.
    package func register(
        _ identity: Identity, user: UInt32, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountID {
        try registering(for: user) { () throws(KeyringError) in
            if let known = keyring.account(matching: identity), !isRegistered(known) {
                return try registerAgain(known, passphrase: passphrase)
            }
            try judgeNew(passphrase, policies.policy(for: identity))
            let account = try beginning { begin throws(KeyringError) in
                try keyring.register(
                    identity, uid: user, passphrase: passphrase, preparing: begin)
            }
            audit(.registered, account, "\(identity) was registered by uid \(user)")
            // It has no files yet.
            if let classRecords { recordClasses(of: account, classRecords) }
            begin(account)
            return account
        }
    }

    /// Makes an account whose enrolment is recorded before it has a keybag: a keybag without a
    /// record is a lock-out, and the daemon may be killed between the two.
    func beginning(
        _ make: ((AccountID) -> Void) throws(KeyringError) -> AccountID
    ) throws(KeyringError) -> AccountID {
        var begun: AccountID?
        do throws(KeyringError) {
            return try make { account in
                begun = account
                enrollments.begin(account, at: clock.now)
            }
        } catch {
            // With a keybag that is still there the next start has an account.
            if let begun, !keyring.mayComeBack(begun) { _ = enrollments.remove(begun) }
            throw error
        }
    }

    /// An account that the keyring has from now on, with its keys at hand.
    func begin(_ account: AccountID) {
        addWindows(for: account)
        importNeed.withLock { $0 = ImportNeed() }
        forgetPolicies()
        transitions.withLock(account) { openWindows(of: account) }
        updateRecovery(of: account)
        enroll(account)
        if settings.hooks.checkIn != nil { checkIn() }
    }

    /// Wraps the account's keys anew. Files change only if it had no passphrase: they are then
    /// sealed under new keys. A new passphrase has to be what policy wants, and it ends a block
    /// that wants one.
    package func changePassphrase(
        of account: AccountID, from old: SecretBytes?, to new: SecretBytes?
    ) throws(KeyringError) {
        if let block = block(of: account), ![.recheck, .passphrase].contains(block.kind) {
            throw .blocked(block)
        }
        let policy = policy(of: account)
        try judgeNew(new, policy)
        do throws(KeyringError) {
            try keyring.changePassphrase(
                account, from: old, to: new, previousBlockCount: policy.pin.previousBlockCount)
        } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
        audit(
            .passphraseChanged, account,
            "the passphrase of \(keyring.identity(of: account)) was changed")
        updateRecovery(of: account)
        if windows(of: account)?.hasAllKeys == true { updateClasses(of: account) }
        happen(.newPassphrase, to: account, as: .policy)
    }
}
