// The settings about users' rights to names (docs/adr/0031-names-belong-to-uids.md).

internal import Glibc
internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMSystem

/// A user's right to a name, according to the settings.
package enum NameRight: Equatable {
    case given
    /// The settings do not bind names to users.
    case unsaid
    /// The settings name a user that the machine does not know, or cannot look up now.
    case unknownUser(String)
    case refused(Message)
}

/// Determines the user of a name from the settings.
package struct NameRights: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Whether `AllowedAccounts` permits an identity; without that setting all are.
    package func isAllowed(_ identity: Identity) -> Bool {
        guard let allowed = vault.accountRules.allowed else { return true }
        return allowed.contains { $0.isName ? identity.isNamed($0) : identity.matches($0) }
    }

    /// False if nothing changed. The next check-in or look at the accounts blocks those that are no
    /// longer allowed.
    package func replaceAccountRules(_ new: AccountRules) -> Bool {
        let old = vault.rules.replaceAccountRules(new)
        guard new != old else { return false }
        vault.rules.userIDs.forget()
        if new.allowed != old.allowed { vault.announce(.allowedAccountsChanged) }
        return true
    }

    /// A user's own daemon serves no other user, and root may act for all.
    package func right(of user: UInt32, to identity: Identity) -> NameRight {
        guard geteuid() == 0, user != 0 else { return .given }
        guard let map = vault.accountRules.users else { return .unsaid }
        let entries = map.filter { identity.matches($0.key) }
        // Owning an object id gives no right to an arbitrary name.
        guard entries.keys.contains(where: identity.description.isSameFolded) else {
            return .refused("AccountUsers does not name it")
        }
        for users in entries.values {
            let right = right(of: user, among: users)
            guard right == .given else { return right }
        }
        return .given
    }

    private func right(of user: UInt32, among users: [Settings.UserReference]) -> NameRight {
        var unknown: String?
        for reference in users {
            switch reference {
            case .uid(let uid): if uid == user { return .given }
            case .name(let name):
                guard let uid = vault.rules.userIDs[name] else {
                    unknown = name
                    continue
                }
                if uid == user { return .given }
            }
        }
        if let unknown { return .unknownUser(unknown) }
        return .refused("AccountUsers gives it to another user than uid \(user)")
    }

    /// The users to whom `AccountUsers` assigns a name, as far as the machine knows them; nil if it
    /// assigns it to none.
    package func givenUsers(of identity: Identity) -> [UInt32]? {
        let entries = vault.accountRules.users?.filter { identity.matches($0.key) } ?? [:]
        guard !entries.isEmpty else { return nil }
        let users = entries.values.joined().compactMap { reference in
            switch reference {
            case .uid(let uid): uid
            case .name(let name): vault.rules.userIDs[name]
            }
        }
        return Array(Set(users))
    }

    /// Why the settings permanently deny a name to a user; nil if they do not.
    package func objection(to identity: Identity, of user: UInt32) -> Message? {
        guard isAllowed(identity) else { return "AllowedAccounts does not name it" }
        guard case .refused(let reason) = right(of: user, to: identity) else { return nil }
        return reason
    }

    /// The organisation's configuration for an identity's programs; empty for an unmanaged one. It
    /// may contain secrets, so a user who merely registered the name first does not get it.
    package func configuration(of identity: Identity) throws(VaultError) -> AppConfiguration {
        guard let account = vault.account(of: identity) else { return .empty }
        let own = vault.identity(of: account)
        let user = vault.keyring.uid(of: account) ?? 0
        guard right(of: user, to: own) == .given else {
            throw .refused(
                "the app configuration of \(own) goes to a user to whom AccountUsers gives that"
                    + " name: root adds \"\(own)\": \(user) to it in settings.json"
            )
        }
        return vault.policies.configuration(for: own)
    }
}
