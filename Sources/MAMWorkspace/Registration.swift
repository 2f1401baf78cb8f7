// Decides who may register accounts.

internal import MAMCrypto
package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Registers accounts, and decides who may.
package struct Registration: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

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
