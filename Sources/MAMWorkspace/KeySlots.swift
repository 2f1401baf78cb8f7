// The key slots of an account: each holds its keys under a secret of its own.

internal import MAMAudit
package import MAMCrypto
package import MAMKeyring
package import MAMModel
internal import MAMPolicy
package import MAMTree
internal import MAMVault

/// Lists, tests, adds and removes key slots. Whatever needs a secret refuses an account without a
/// passphrase, which has no slots; a wrong one counts as it does at an unlock.
package struct KeySlots: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// None of an account without a passphrase.
    package func all(of account: AccountID) -> [KeySlot] { vault.keyring.slots(of: account) }

    /// The slot that a secret opens. `id`: the only one to try.
    package func test(
        _ id: KeySlot.ID?, of account: AccountID, secret: SecretBytes?
    ) throws(KeyringError) -> KeySlot {
        try trying(account) { () throws(KeyringError) in
            let slot = try vault.keyring.testSlot(id, of: account, secret: secret)
            guard let slot else { throw .passphraseNotUsed }
            return slot
        }
    }

    /// Adds a secret to those that open the account. If policy refuses the new one, the other is
    /// not tried.
    package func add(
        _ new: NewSlot, to account: AccountID, with opening: SecretBytes?
    ) throws(KeyringError) -> KeySlot {
        let slot = try trying(account) { () throws(KeyringError) in
            try judge(new, account)
            return try vault.keyring.addSlot(
                new, to: account, opening: opening,
                previousBlockCount: vault.policy(of: account).pin.previousBlockCount)
        }
        note(.slotAdded, slot, of: account, "opens it from now on")
        return slot
    }

    package func remove(
        _ slot: KeySlot.ID, of account: AccountID, with opening: SecretBytes?
    ) throws(KeyringError) -> KeySlot {
        guard let found = all(of: account).first(where: { $0.id == slot }) else {
            throw .refused("the account has no slot \(slot)", next: "mamctl slot list")
        }
        try trying(account) { () throws(KeyringError) in
            try vault.keyring.removeSlot(slot, of: account, opening: opening)
        }
        note(.slotRemoved, found, of: account, "opens it no more")
        return found
    }

    private func trying<Value>(
        _ account: AccountID, _ body: () throws(KeyringError) -> Value
    ) throws(KeyringError) -> Value {
        try Passphrases(tree).refuseUnchangeable(account)
        guard vault.keyring.hasPassphrase(account) else {
            throw .refused(
                "the account has no passphrase: this device opens it without one",
                next: "mamctl account passphrase")
        }
        return try Unlock(tree).trying(account, body)
    }

    private func judge(_ new: NewSlot, _ account: AccountID) throws(KeyringError) {
        let policy = vault.policy(of: account)
        switch new {
        case .tpm(nil, _): try refuseWithoutSecret(account)
        case .passphrase(let secret), .tpm(let secret?, _):
            guard !policy.pin.limitsChanges else {
                throw .refused(
                    "policy limits how long a passphrase lasts, or which come again"
                        + " (periodBeforePinReset, previousPinBlockCount): a second one would get"
                        + " round that", next: "mamctl account passphrase", cause: .policy)
            }
            try Passphrases(tree).judgeNew(secret, policy)
        case .recovery:
            guard !RecoveryUpdates(vault).isRecoverable(account) else {
                throw .refused(
                    "the organisation has a recovery key of the account (mamdRecoveryPublicKey),"
                        + " which is its way back: policy allows no other",
                    next: "mamctl account passphrase --forgotten", cause: .policy)
            }
        }
    }

    /// Where policy requires a passphrase, a chip alone opens nothing.
    func refuseWithoutSecret(_ account: AccountID) throws(KeyringError) {
        guard vault.policy(of: account).pin.isRequired else { return }
        throw .refused(
            "policy requires a passphrase (pinRequired), and the key slot has no PIN",
            cause: .policy)
    }

    private func note(
        _ event: LogMessage, _ slot: KeySlot, of account: AccountID, _ effect: String
    ) {
        let words = "key slot \(slot.id) (\(slot.kind))"
        vault.audit(event, account, "\(vault.identity(of: account)): \(words) \(effect)") {
            $0.reason = words
        }
    }
}
