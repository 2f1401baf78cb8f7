// To whom an account's name belongs, where several users share a daemon:
// docs/adr/0031-names-belong-to-uids.md.

internal import Glibc
internal import MAMEnrollment
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import Synchronization

/// What the settings say of a user's right to a name.
enum NameRight: Equatable {
    case given
    /// They do not bind names to users.
    case unsaid
    /// They name a user that the machine does not know, or not now.
    case unknownUser(String)
    case refused(String)
}

extension Vault {
    /// A user's own daemon has no other user, and root may act for all.
    func right(of user: UInt32, to identity: Identity) -> NameRight {
        guard geteuid() == 0, user != 0 else { return .given }
        guard let map = accountRules.users else { return .unsaid }
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
                guard let uid = userIDs[name] else {
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
    func givenUsers(of identity: Identity) -> [UInt32]? {
        let entries = accountRules.users?.filter { identity.matches($0.key) } ?? [:]
        guard !entries.isEmpty else { return nil }
        let users = entries.values.joined().compactMap { reference in
            switch reference {
            case .uid(let uid): uid
            case .name(let name): userIDs[name]
            }
        }
        return Array(Set(users))
    }

    /// Why the settings keep a name from a user for good; nil if they do not.
    func objection(to identity: Identity, of user: UInt32) -> String? {
        guard isAllowed(identity) else { return "AllowedAccounts does not name it" }
        guard case .refused(let reason) = right(of: user, to: identity) else { return nil }
        return reason
    }

    /// Why a user may not be the first here to have a name; nil if that may be.
    ///
    /// `shallGoOn`: whether the caller still waits.
    func refusalOfNew(
        _ identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> String? {
        refusal(by: right(of: user, to: identity)) {
            guard accountRules.allowed != nil || !isSecondUser(user) else {
                return
                    "several users have accounts here, and the settings do not name its user; add"
                    + " AccountUsers or AllowedAccounts to settings.json as root"
            }
            return refusalByFiles(of: identity, user: user, while: shallGoOn)
        }
    }

    /// Why an account may not get an object id; nil if it may. That is a name like any other.
    package func refusalToLink(
        _ account: AccountID, objectID: String, user: UInt32, while shallGoOn: () -> Bool
    ) -> String? {
        let name = keyring.identity(of: account).name
        guard let whole = try? Identity(name: name, objectID: objectID),
            let new = try? Identity(name: "", objectID: objectID)
        else { return nil }
        return objection(to: whole, of: user)
            ?? refusal(by: right(of: user, to: whole)) {
                refusalByFiles(of: new, user: user, while: shallGoOn)
            }
    }

    private func refusal(by right: NameRight, orIfUnsaid other: () -> String?) -> String? {
        switch right {
        case .given: nil
        case .refused(let reason): reason
        case .unknownUser(let name):
            "AccountUsers gives it to '\(name)', which is no user that this machine knows now"
        case .unsaid: other()
        }
    }

    private func isSecondUser(_ user: UInt32) -> Bool {
        keyring.accounts.contains { ![0, user].contains(keyring.uid(of: $0)) }
    }

    /// A name that other users' content carries would have their content.
    private func refusalByFiles(
        of identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> String? {
        do throws(SearchEnd) {
            let isCarried = try hasClaim(for: user, while: shallGoOn) { claim in
                switch claim {
                case .file(let file, _, _):
                    file.user != user && file.header.sealing == nil
                        && identity.isCalled(by: file.header.owner)
                case .directory(let owner, let other): other != user && identity.isCalled(by: owner)
                }
            }
            guard isCarried else { return nil }
            return
                "files or directories of other users carry it; if it is uid \(user)'s, root says "
                + "so with AccountUsers in settings.json"
        } catch {
            return "the search for files that carry it did not end: \(error); AccountUsers in "
                + "settings.json does without a search"
        }
    }

    /// Refuses an export whose ids files have that its keys do not open: they are somebody else's,
    /// and would become its. Who trusts an export on root's daemon is root.
    func refuseForged(
        _ export: KeyExport, _ opened: ExportedKeys, user: UInt32, while shallGoOn: () -> Bool
    ) throws(KeyringError) {
        guard geteuid() == 0, user != 0 else { return }
        let isForged: Bool
        do throws(SearchEnd) {
            isForged = try hasClaim(for: user, while: shallGoOn) { claim in
                guard case .file(let file, _, let bytes) = claim, let sealing = file.header.sealing,
                    export.names(sealing.keyID)
                else { return false }
                return !opened.open(file.header, bytes() ?? [], of: export)
            }
        } catch { throw .refused("the search for files of its keys did not end: \(error)") }
        guard !isForged else {
            throw .refused(
                "files here have its keys' ids, and its keys do not open them; only root may import"
                    + " it"
            )
        }
    }
}

extension Identity {
    /// True if either name of an owner means this identity: people type one for the other.
    func isCalled(by owner: Identity) -> Bool {
        matches(owner.name) || matches(owner.objectID)
    }
}
