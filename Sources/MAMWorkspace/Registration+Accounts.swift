// Making accounts.

package import MAMCrypto
internal import MAMEnrollment
internal import MAMFormat
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import Synchronization

extension Registration {
    /// Makes an account's keys and opens its windows; of one that was deregistered with its keys
    /// kept, opens those. Who may register tells ``refusal(of:user:while:)``.
    ///
    /// `user`: the uid whose default identity it becomes, in single-identity mode.
    /// `passphrase`: nil for keys that the device secret alone opens.
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
            if let classRecords = vault.classRecords {
                ClassPass(tree).recordClasses(of: account, classRecords)
            }
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
                vault.enrollments.begin(account, at: vault.clock.now)
            }
        } catch {
            // With a keybag that is still there the next start has an account.
            if let begun, !vault.keyring.mayComeBack(begun) { _ = vault.enrollments.remove(begun) }
            throw error
        }
    }

    /// An account that the keyring has from now on, with its keys at hand.
    func begin(_ account: AccountID) {
        vault.addWindows(for: account)
        vault.importNeed.withLock { $0 = ImportNeed() }
        vault.forgetPolicies()
        vault.transitions.withLock(account) { Unlock(tree).openWindows(of: account) }
        RecoveryUpdates(vault).updateRecovery(of: account)
        enroll(account)
        if vault.settings.hooks.checkIn != nil { CheckIn(tree).checkIn() }
    }

    /// Registers an account of a user. Of two at once the second finds the first one's account,
    /// where ``refusal(of:user:while:)`` saw none for either.
    func registering(
        for user: UInt32, _ register: () throws(KeyringError) -> AccountID
    ) throws(KeyringError) -> AccountID {
        try vault.registering.withLock(user) { () throws(KeyringError) in
            if let objection = objectionToAnother(of: user) { throw .refused(objection) }
            return try register()
        }
    }

    /// Opens an account that was deregistered with its keys kept, with the passphrase that it had.
    func registerAgain(
        _ account: AccountID, passphrase: SecretBytes?
    ) throws(KeyringError) -> AccountID {
        let lockCount = vault.lockCount(of: account)
        // What a login takes: it starts every count anew, also that of an account which was closed
        // when it went.
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

    /// The first steps of an account on the list.
    func enroll(_ account: AccountID) {
        Enrollment(tree).happen(.registered, to: account, as: .enrollment)
        LaunchChecks(tree).checkLaunch(account)
    }
}
