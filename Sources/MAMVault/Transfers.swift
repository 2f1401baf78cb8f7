// Whether an identity other than the owner may get a managed file's content.

package import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMPolicy

/// Refuses transfers that policy forbids.
package struct Transfers: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// One side of a transfer, with its account's rules if it has any.
    package func principal(of identity: Identity) -> Principal {
        guard vault.registrant(of: identity) != nil else { return .unmanaged(identity) }
        return .managed(vault.canonical(identity), vault.policy(of: identity))
    }

    /// Refuses the content of a managed file to another identity, unless the owner's policy sends
    /// to all apps.
    ///
    /// `receiver` is evaluated only if policy restricts transfers.
    package func checkTransfer(
        of header: FileHeader?, to receiver: () throws(VaultError) -> Identity
    ) throws(VaultError) {
        // A file without a known key cannot be read anyway, and that error is more specific.
        guard let sealing = header?.sealing,
            let account = vault.keyring.account(ofKey: sealing.keyID),
            let refusal = try refusal(from: account, to: receiver)
        else { return }
        throw refused(refusal, next: commandOfOwner(account))
    }

    /// The error for a decision.
    func refused(_ decision: Decision, next: String) -> VaultError {
        let rule = decision.rule.map { " (\($0))" } ?? ""
        return .refused("\(decision.reason)\(rule)", next: next, rule: decision.rule)
    }

    /// Refuses the content of a person's account to another user of root's daemon, whatever mode,
    /// owner and access list the file has: who writes the backing directory sets them
    /// (docs/adr/0070-whose-a-sealed-file-is.md).
    ///
    /// `reader` is evaluated only for another user. Root may give it the account's identity.
    package func checkUser(
        _ user: UInt32, of header: FileHeader?, as reader: () throws(VaultError) -> Identity
    ) throws(VaultError) {
        guard user != 0, let header, let own = vault.registrant(of: header), own != user, own != 0,
            let holder = vault.holder(of: header), try !vault.canonical(reader()).matches(holder),
            NameRights(vault).right(of: user, to: holder) != .given
        else { return }
        throw .othersFile(
            holder, own, next: "root adds uid \(user) to that account's in AccountUsers")
    }

    /// Why policy keeps content of the account from a program; nil if it does not.
    func refusal<Failure: Error>(
        from account: AccountID, to receiver: () throws(Failure) -> Identity
    ) throws(Failure) -> Decision? {
        let sendsToAll = vault.merged(of: account).sendsToAll
        // Otherwise every receiver is allowed.
        guard !sendsToAll else { return nil }
        let receiver = try receiver()
        let isOwner = vault.account(of: receiver) == account
        guard !EffectivePolicy.letsRead(asOwner: isOwner, sendsToAll: sendsToAll) else {
            return nil
        }
        return principal(of: vault.identity(of: account)).refusalToShow(to: receiver)
    }

    /// What a refused program's user can run instead.
    func commandOfOwner(_ account: AccountID) -> String {
        "mamctl run --identity \(vault.identity(of: account)) -- COMMAND"
    }
}
