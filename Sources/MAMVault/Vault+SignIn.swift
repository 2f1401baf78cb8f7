// Coming and going: who may register, logging in again after a block, and deregistering.

internal import MAMAudit
package import MAMCrypto
package import MAMEnrollment
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem

extension Vault {
    /// Why an identity may not be registered by a user; nil if it may. Goes through the whole tree
    /// where the settings do not say whose the name is.
    ///
    /// `shallGoOn`: whether the caller still waits. Never call this from a thread that serves the
    /// mount.
    package func refusal(
        of identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> EnrollmentStatus? {
        userIDs.forget()
        if let objection = objection(to: identity, of: user) {
            return EnrollmentStatus(identity, .notAllowed, objection)
        }
        let known = keyring.account(claimedBy: identity)
        if let known {
            if keyring.uid(of: known) != user {
                return EnrollmentStatus(identity, .sameUserOnly, "another user registered it")
            }
            guard !isRegistered(known) else { return EnrollmentStatus(identity, .alreadyEnrolled) }
        }
        if let objection = objectionToAnother(of: user) {
            return EnrollmentStatus(identity, .singleAccountOnly, objection)
        }
        guard known == nil else { return nil }
        return refusalOfNew(identity, user: user, while: shallGoOn)
            .map { EnrollmentStatus(identity, .notAllowed, $0) }
    }

    private func objectionToAnother(of user: UInt32) -> String? {
        guard !settings.multiManagedIdentities, let own = defaultAccount(ofUser: user) else {
            return nil
        }
        return
            "uid \(user) has the account \(identity(of: own)), and MultiManagedIdentities is off"
    }

    /// Registers an account of a user. Of two at once the second finds the first one's account,
    /// where ``refusal(of:user:while:)`` saw none for either.
    func registering(
        for user: UInt32, _ register: () throws(KeyringError) -> AccountID
    ) throws(KeyringError) -> AccountID {
        try registering.withLock(user) { () throws(KeyringError) in
            if let objection = objectionToAnother(of: user) { throw .refused(objection) }
            return try register()
        }
    }

    /// Refuses a new passphrase that policy does not want.
    func judgeNew(_ passphrase: SecretBytes?, _ policy: EffectivePolicy) throws(KeyringError) {
        let pin = policy.pin
        guard let passphrase else {
            if pin.isRequired {
                throw .refused(
                    "policy requires a passphrase (pinRequired): leave --no-passphrase out")
            }
            return
        }
        if let flaw = passphrase.withBytes({ pin.flaw(in: $0) }) {
            throw .refused("the passphrase is not good enough: \(flaw)")
        }
    }

    /// Opens an account that was deregistered with its keys kept, with the passphrase that it had.
    func registerAgain(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountID {
        let lockCount = lockCount(of: account)
        // What a login takes: it starts every count anew, also that of an account which was closed
        // when it went.
        let outcome = checkIn()
        guard outcome.isSuccess else {
            throw .refused("the check-in failed: \(outcome.reason ?? "no reason was given")")
        }
        let keys = try judgedKeys(of: account, passphrase: passphrase)
        audit(.registered, account, "\(identity(of: account)) is registered again")
        enroll(account)
        try bringToHand(keys, of: account, since: lockCount)
        return account
    }

    /// The first steps of an account on the list.
    func enroll(_ account: AccountID) {
        happen(.registered, to: account, as: .enrollment)
        checkLaunch(account)
    }

    /// Unwraps the keys, and lets a wrong passphrase, or a right one, have their consequences.
    func judgedKeys(
        of account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountKeys {
        do throws(KeyringError) {
            let keys = try keyring.openKeys(of: account, passphrase: passphrase)
            if let passphrase { noteRight(passphrase, of: account) }
            return keys
        } catch {
            if case .wrongPassphrase = error { noteWrongPassphrase(of: account) }
            throw error
        }
    }

    /// What more wrong passphrases bring; nil where policy says nothing.
    package func outlookOnGuesses(_ account: AccountID) -> String? {
        enrollments.record(of: account)?.outlook(
            after: keyring.failureCount(account), policy(of: account).pin)
    }

    func noteWrongPassphrase(of account: AccountID) {
        let count = keyring.failureCount(account)
        audit(.wrongPassphrase, account, "a wrong passphrase for \(identity(of: account))") {
            $0.reason = "wrong passphrases one after the other: \(count)"
        }
        happen(.wrongPassphrase(count: count), to: account, as: .policy)
    }

    private func noteRight(_ passphrase: SecretBytes, of account: AccountID) {
        let pin = policy(of: account).pin
        let flaw = passphrase.withBytes { pin.flaw(in: $0) }
        happen(.opened(flaw: flaw?.description), to: account, as: .policy)
    }

    /// The way out of a lock-out and of the last chance before an offline wipe: a check-in, then
    /// the passphrase.
    package func login(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> EnrollmentStatus {
        guard isRegistered(account) else {
            return EnrollmentStatus(identity(of: account), .notEnrolled, "it was deregistered")
        }
        userIDs.forget()
        if let objection = facts(of: account).objection {
            return EnrollmentStatus(identity(of: account), .notAllowed, objection)
        }
        let lockCount = lockCount(of: account)
        let outcome = checkIn()
        guard outcome.isSuccess, let report = enrollment(of: account) else {
            return EnrollmentStatus(
                identity(of: account), enrollment(of: account)?.status.code ?? .notEnrolled,
                outcome.reason)
        }
        let keys = try judgedKeys(of: account, passphrase: passphrase)
        if passphrase == nil { happen(.opened(flaw: nil), to: account, as: .policy) }
        try bringToHand(keys, of: account, since: lockCount)
        return report.status
    }

    /// Takes an account from the list. Its keys stay, sealed, and its files as they are: to destroy
    /// them is a wipe.
    package func signOut(_ account: AccountID) -> EnrollmentStatus {
        audit(.deregistered, account, "\(identity(of: account)) was deregistered")
        happen(.signedOut, to: account, as: .unenroll)
        forgetPolicies()
        return EnrollmentStatus(identity(of: account), .unenrolled)
    }
}
