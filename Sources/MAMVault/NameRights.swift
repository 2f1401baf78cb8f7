// What the settings say of a user's right to a name (docs/adr/0031-names-belong-to-uids.md).

internal import Glibc
internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMSystem

/// What the settings say of a user's right to a name.
package enum NameRight: Equatable {
    case given
    /// They do not bind names to users.
    case unsaid
    /// They name a user that the machine does not know, or not now.
    case unknownUser(String)
    case refused(String)
}

/// Tells whose a name is by the settings.
package struct NameRights: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// What `AllowedAccounts` says of an identity; without it anybody is allowed.
    package func isAllowed(_ identity: Identity) -> Bool {
        vault.accountRules.allowed.map { $0.contains { identity.matches($0) } } ?? true
    }

    /// False if they were the same. Accounts that are not allowed any more are blocked by the
    /// check-in, or the look at them, that comes next.
    package func replaceAccountRules(_ new: AccountRules) -> Bool {
        let old = vault.currentAccountRules.withLock { current in
            defer { current = new }
            return current
        }
        guard new != old else { return false }
        vault.userIDs.forget()
        if new.allowed != old.allowed { vault.announce(.allowedAccountsChanged) }
        return true
    }

    /// A user's own daemon has no other user, and root may act for all.
    package func right(of user: UInt32, to identity: Identity) -> NameRight {
        guard geteuid() == 0, user != 0 else { return .given }
        guard let map = vault.accountRules.users else { return .unsaid }
        let entries = map.filter { identity.matches($0.key) }
        // An object id that is one's own makes no other name one's own.
        let title = identity.description.lowercased()
        guard entries.keys.contains(where: { $0.lowercased() == title }) else {
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
                guard let uid = vault.userIDs[name] else {
                    unknown = name
                    continue
                }
                if uid == user { return .given }
            }
        }
        if let unknown { return .unknownUser(unknown) }
        return .refused("AccountUsers gives it to another user than uid \(user)")
    }

    /// The users to whom `AccountUsers` gives a name, as far as the machine knows them; nil if it
    /// gives it to nobody.
    package func givenUsers(of identity: Identity) -> [UInt32]? {
        let entries = vault.accountRules.users?.filter { identity.matches($0.key) } ?? [:]
        guard !entries.isEmpty else { return nil }
        let users = entries.values.joined().compactMap { reference in
            switch reference {
            case .uid(let uid): uid
            case .name(let name): vault.userIDs[name]
            }
        }
        return Array(Set(users))
    }

    /// Why the settings keep a name from a user for good; nil if they do not.
    package func objection(to identity: Identity, of user: UInt32) -> String? {
        guard isAllowed(identity) else { return "AllowedAccounts does not name it" }
        guard case .refused(let reason) = right(of: user, to: identity) else { return nil }
        return reason
    }

    /// What the organisation tells the programs of an identity; nothing to those of one that is no
    /// account. It may hold secrets, and goes to none that only came first.
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
