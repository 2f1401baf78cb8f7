// Which user may have an account's name, where several users share a daemon:
// docs/adr/0031-names-belong-to-uids.md.

internal import Glibc
internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
package import MAMTree
internal import MAMVault

/// Decides which user may be the first to have a name here.
package struct NewNames: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Why a user may not be the first to have a name here; nil if that is permitted.
    ///
    /// `shallGoOn`: whether the caller is still waiting.
    func refusalOfNew(
        _ identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> Message? {
        refusal(by: NameRights(vault).right(of: user, to: identity)) {
            guard vault.accountRules.allowed != nil || !isSecondUser(user) else {
                return
                    "several users have accounts here, and the settings do not name its user; add"
                    + " AccountUsers or AllowedAccounts to settings.json as root"
            }
            return refusalByFiles(of: identity, user: user, while: shallGoOn)
        }
    }

    /// Why an account may not get an object id, which is a name like any other; nil if it may.
    package func refusalToLink(
        _ account: AccountID, objectID: String, user: UInt32, while shallGoOn: () -> Bool
    ) -> Message? {
        let name = vault.identity(of: account).name
        guard let whole = try? Identity(name: name, objectID: objectID),
            let new = try? Identity(name: "", objectID: objectID)
        else { return nil }
        return NameRights(vault).objection(to: whole, of: user)
            ?? refusal(by: NameRights(vault).right(of: user, to: whole)) {
                refusalByFiles(of: new, user: user, while: shallGoOn)
            }
    }

    private func refusal(by right: NameRight, orIfUnsaid other: () -> Message?) -> Message? {
        switch right {
        case .given: nil
        case .refused(let reason): reason
        case .unknownUser(let name):
            "AccountUsers gives it to '\(name)', which is no user that this machine knows now"
        case .unsaid: other()
        }
    }

    private func isSecondUser(_ user: UInt32) -> Bool {
        vault.keyring.accounts.contains { ![0, user].contains(vault.keyring.uid(of: $0)) }
    }

    /// If other users' content carries the name, its account would get that content.
    private func refusalByFiles(
        of identity: Identity, user: UInt32, while shallGoOn: () -> Bool
    ) -> Message? {
        do throws(SearchEnd) {
            let isCarried = try Claims(tree).hasClaim(for: user, while: shallGoOn) { claim in
                switch claim {
                case .file(let file, _, _):
                    file.user != user && file.header.sealing == nil
                        && identity.isCalled(by: file.header.owner)
                case .directory(let owner, let other): other != user && identity.isCalled(by: owner)
                }
            }
            guard isCarried else { return nil }
            return
                "files or directories of other users carry it; if it is uid \(user)'s, root says"
                + " so with AccountUsers in settings.json"
        } catch {
            return "the search for files that carry it did not end: \(error); AccountUsers in"
                + " settings.json does without a search"
        }
    }

    /// Refuses an export whose key ids occur in files that its keys do not open: those files belong
    /// to someone else, and would become the account's. Root may import anything on root's daemon.
    func refuseForged(
        _ export: KeyExport, _ opened: ExportedKeys, user: UInt32, while shallGoOn: () -> Bool
    ) throws(KeyringError) {
        guard geteuid() == 0, user != 0 else { return }
        let isForged: Bool
        do throws(SearchEnd) {
            isForged = try Claims(tree).hasClaim(for: user, while: shallGoOn) { claim in
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
    /// True if either name of an owner matches this identity, because users type either.
    func isCalled(by owner: Identity) -> Bool {
        matches(owner.name) || matches(owner.objectID)
    }
}
