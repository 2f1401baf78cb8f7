// Accounts that the setting Groups names and nobody registered: registers those that need no input,
// and reports the others (docs/adr/0047-auto-enrolment.md).

internal import Glibc
internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// An account to register, unless sealed files of its name exist.
private struct KnownAccount {
    let name: String
    let identity: Identity
    let user: UInt32
}

/// Why an account is not registered automatically.
private struct Unsettled: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
}

/// Registers the accounts named in the settings.
package struct AutoEnrollment: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Returns at once. Some time later a thread has examined every name under the current settings
    /// and policies.
    package func enrollKnownAccountsSoon() {
        do throws(Errno) {
            try startThread(named: "enrol") { enrollKnownAccounts() }
        } catch { vault.log.warning("accounts to add are looked for at the next start: \(error)") }
    }

    /// Walks the whole tree if an account is to be registered; does nothing without
    /// `AutoEnrollOnLaunch`. If another thread is already doing this, that thread repeats it
    /// instead.
    ///
    /// Never call this from a thread that serves the mount.
    package func enrollKnownAccounts() {
        guard vault.rules.settings.autoEnrollOnLaunch else { return }
        guard vault.walks.claims.beginAdding() else { return }
        repeat { nameAccountsToAdd(enrollSettled()) } while vault.walks.claims.isAddingAgain()
    }

    /// The remaining names, each with the reason.
    private func enrollSettled() -> [String: String] {
        let names = Set(vault.accountRules.groups.values.joined()).sorted()
        vault.enrollments.departed.keep(only: names)
        vault.rules.userIDs.forget()
        let rivals = rivals(among: names)
        var (settled, left): ([KnownAccount], [String: String]) = ([], [:])
        for name in names where vault.account(named: name) == nil {
            do throws(Unsettled) {
                settled.append(try known(name, among: rivals))
            } catch { left[name] = error.reason }
        }
        guard !settled.isEmpty else { return left }
        let sealed: Set<String>
        do throws(SearchEnd) {
            sealed = try Unopened(tree).namesOfUnopenedFiles(among: settled.map(\.identity))
        } catch {
            for account in settled {
                left[account.name] = "the search for files sealed for it did not end: \(error)"
            }
            return left
        }
        for account in settled {
            do throws(Unsettled) { try enroll(account, sealed) } catch {
                left[account.name] = error.reason
            }
        }
        return left
    }

    private func enroll(_ account: KnownAccount, _ sealed: Set<String>) throws(Unsettled) {
        guard !sealed.contains(account.identity.name) else {
            throw Unsettled("files here are sealed with keys of it that are elsewhere")
        }
        do throws(KeyringError) {
            _ = try Registration(tree).register(
                account.identity, user: account.user, passphrase: nil)
        } catch { throw Unsettled("\(error)") }
        vault.log.info(
            "\(account.name) is registered for uid \(account.user) by AutoEnrollOnLaunch")
    }

    /// Checks everything except existing files.
    private func known(_ name: String, among rivals: [UInt32: Int]) throws(Unsettled)
        -> KnownAccount
    {
        guard !Wipe(tree).isReadOnly else { throw Unsettled("the mount is read-only") }
        guard !vault.enrollments.departed.contains(name) else {
            throw Unsettled("it was wiped here, and does not come back by itself")
        }
        let identity = try nameOfAccount(name)
        let user = try settledUser(of: identity)
        if let status = Registration(tree).refusal(of: identity, user: user, while: { true }) {
            throw Unsettled(status.errorString ?? "it is registered already")
        }
        guard vault.rules.settings.multiManagedIdentities || rivals[user] == 1 else {
            throw Unsettled(
                "Groups names several accounts that may be uid \(user)'s, which may have one: "
                    + "AllowedAccounts or AccountUsers says which")
        }
        guard vault.signIns == nil else { throw Unsettled("its person has to sign in") }
        guard vault.policies.covers(identity) else { throw Unsettled("no policy covers it") }
        guard !vault.policies.policy(for: identity).pin.isRequired else {
            throw Unsettled("policy requires a passphrase (pinRequired)")
        }
        return KnownAccount(name: name, identity: identity, user: user)
    }

    /// How many accounts, registered or not, each user may have under the settings.
    private func rivals(among names: [String]) -> [UInt32: Int] {
        names.reduce(into: [:]) { counts, name in
            guard let identity = try? nameOfAccount(name), NameRights(vault).isAllowed(identity),
                let user = try? settledUser(of: identity)
            else { return }
            counts[user, default: 0] += 1
        }
    }

    /// A user's own daemon has only that user.
    private func settledUser(of identity: Identity) throws(Unsettled) -> UInt32 {
        guard geteuid() == 0 else { return geteuid() }
        switch NameRights(vault).givenUsers(of: identity) {
        case nil: throw Unsettled("AccountUsers does not name its user")
        case .some(let users) where users.count == 1: return users[0]
        default: throw Unsettled("AccountUsers does not give it to one user of this machine")
        }
    }

    private func nameOfAccount(_ name: String) throws(Unsettled) -> Identity {
        guard !name.isObjectID else { throw Unsettled("it is an object id, and no name") }
        do throws(Identity.Invalid) { return try Identity(name: name) } catch {
            throw Unsettled("the name cannot be used: \(error)")
        }
    }

    /// Runs the hook and sends the event for each name not reported before; logs each new reason.
    private func nameAccountsToAdd(_ left: [String: String]) {
        let told = vault.walks.claims.noteLeft(left)
        for (name, reason) in left.sorted(by: { $0.key < $1.key }) where told[name] != reason {
            let words = name.isObjectID ? "UPN --oid \(name)" : name
            vault.log.info(
                "policy names \(name), which is not registered: mamctl account register \(words)"
                    + " (not by itself: \(reason))")
            guard told[name] == nil else { continue }
            vault.announce(.accountToAdd(name))
            vault.enrollments.hooks.tell(.addAccount, ["account": .string(name)])
        }
    }
}
