// Registers accounts, and deregisters them; decides who may.

internal import MAMAudit
package import MAMCrypto
package import MAMEnrollment
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Registers accounts, and deregisters them; decides who may.
package struct Registration: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Why a user may not register an identity; nil if permitted. Walks the whole tree if the
    /// settings do not assign the name to a user.
    ///
    /// `shallGoOn`: whether the caller is still waiting. Never call this from a thread that serves
    /// the mount.
    package func refusal(
        of identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> EnrollmentStatus? {
        vault.rules.userIDs.forget()
        if let objection = NameRights(vault).objection(to: identity, of: user) {
            return EnrollmentStatus(identity, .notAllowed, objection.english)
        }
        let known = vault.keyring.account(claimedBy: identity)
        if let known {
            if vault.keyring.uid(of: known) != user {
                return EnrollmentStatus(identity, .sameUserOnly, "another user registered it")
            }
            guard !vault.isRegistered(known) else {
                return EnrollmentStatus(identity, .alreadyEnrolled)
            }
        }
        if let objection = objectionToAnother(of: user) {
            return EnrollmentStatus(identity, .singleAccountOnly, objection.english)
        }
        guard known == nil else { return nil }
        return NewNames(tree).refusalOfNew(identity, user: user, while: shallGoOn)
            .map { EnrollmentStatus(identity, .notAllowed, $0.english) }
    }

    func objectionToAnother(of user: UInt32) -> Message? {
        guard !vault.rules.settings.multiManagedIdentities,
            let own = vault.defaultAccount(ofUser: user)
        else {
            return nil
        }
        let name = vault.identity(of: own)
        return
            "uid \(user) has the account \(name) (mamctl account deregister \(name) ends that), and"
            + " MultiManagedIdentities is off"
    }
}

// Creates accounts.
extension Registration {
    /// Creates an account's keys and unlocks it; for an account deregistered with its keys kept,
    /// loads those. ``refusal(of:user:while:)`` decides who may register.
    ///
    /// `user`: the uid whose default identity it becomes, in single-identity mode. `passphrase`:
    /// nil for keys that the device secret alone opens.
    package func register(
        _ identity: Identity, user: UInt32, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountID {
        try registering(for: user) { () throws(KeyringError) in
            if let known = vault.keyring.account(matching: identity), !vault.isRegistered(known) {
                return try registerAgain(known, passphrase: passphrase)
            }
            try Passphrases(tree).judgeNew(passphrase, vault.policies.policy(for: identity))
            let account = try beginning { begin throws(KeyringError) in
                try vault.keyring.register(
                    identity, uid: user, passphrase: passphrase, preparing: begin)
            }
            vault.audit(.registered, account, "\(identity) was registered by uid \(user)")
            // It has no files yet.
            ClassPass(tree).recordClasses(of: account)
            begin(account)
            return account
        }
    }

    /// Records an account's enrolment before its keybag is written: a keybag without a record means
    /// a lock-out, and the daemon may be killed in between.
    func beginning(
        _ make: ((AccountID) -> Void) throws(KeyringError) -> AccountID
    ) throws(KeyringError) -> AccountID {
        var begun: AccountID?
        do throws(KeyringError) {
            return try make { account in
                begun = account
                vault.enrollments.begin(account, at: vault.clock.now)
            }
        } catch {
            // If the keybag is still there, the next start has that account.
            if let begun, !vault.keyring.mayComeBack(begun) { _ = vault.enrollments.remove(begun) }
            throw error
        }
    }

    /// An account that the keyring has just added, with its keys loaded.
    func begin(_ account: AccountID) {
        vault.windows.add(account)
        vault.walks.claims.forgetImportNeed()
        vault.rules.forgetAccounts()
        vault.windows.transition(of: account) { Unlock(tree).openWindows(of: account) }
        RecoveryUpdates(vault).updateRecovery(of: account)
        enroll(account)
        if vault.rules.settings.hooks.checkIn != nil { CheckIn(tree).checkIn() }
    }

    /// Serialises a user's registrations: of two concurrent ones the second finds the first one's
    /// account, which ``refusal(of:user:while:)`` could not see.
    func registering(
        for user: UInt32, _ register: () throws(KeyringError) -> AccountID
    ) throws(KeyringError) -> AccountID {
        try vault.enrollments.registering(for: user) { () throws(KeyringError) in
            if let objection = objectionToAnother(of: user) { throw .refused(objection) }
            return try register()
        }
    }

    /// Unlocks an account deregistered with its keys kept, with its former passphrase.
    func registerAgain(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountID {
        let lockCount = vault.lockCount(of: account)
        // Requires what a login requires: it resets every count, even for an account that was
        // blocked when it was deregistered.
        let outcome = CheckIn(tree).checkIn()
        guard outcome.isSuccess else {
            throw .refused("the check-in failed: \(outcome.reason ?? "no reason was given")")
        }
        let keys = try Unlock(tree).judgedKeys(of: account, passphrase: passphrase)
        vault.audit(.registered, account, "\(vault.identity(of: account)) is registered again")
        enroll(account)
        try Unlock(tree).bringToHand(keys, of: account, since: lockCount)
        return account
    }

    /// The first steps of a registered account.
    func enroll(_ account: AccountID) {
        Enrollment(tree).happen(.registered, to: account, as: .enrollment)
        LaunchChecks(tree).checkLaunch(account)
    }
}

extension Registration {
    /// Deregisters an account. Its sealed keys and its files stay; only a wipe destroys them.
    package func signOut(_ account: AccountID) -> EnrollmentStatus {
        vault.audit(.deregistered, account, "\(vault.identity(of: account)) was deregistered")
        Enrollment(tree).happen(.signedOut, to: account, as: .unenroll)
        vault.rules.forgetAccounts()
        return EnrollmentStatus(vault.identity(of: account), .unenrolled)
    }

    /// Sets the object id of an account that was registered by name only. Files with either are the
    /// account's from now on; none is written.
    ///
    /// Needs the passphrase as an unlock does: a wrong one counts, and none is accepted while an
    /// unlock would be refused.
    package func link(
        _ account: AccountID, objectID: String, passphrase: SecretBytes?
    ) throws(KeyringError) {
        try vault.refuseBlocked(account)
        try Unlock(tree).trying(account) { () throws(KeyringError) in
            try vault.keyring.link(account, objectID: objectID, passphrase: passphrase)
        }
        // Documents may be assigned to either.
        vault.rules.forgetAccounts()
        vault.log.info("\(vault.identity(of: account)) has the object id \(objectID)")
        RecoveryUpdates(vault).updateRecovery(of: account)
    }
}
