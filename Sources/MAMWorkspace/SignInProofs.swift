// What a person's sign-in is good for: registering an account, logging in to it, and the sign-in
// that policy asks of a check-in. It opens no file's key.

package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMSettings
internal import MAMSignIn
internal import MAMSystem
package import MAMTree
package import MAMVault

/// The proofs of sign-ins that ``SignIns`` holds.
package struct SignInProofs: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// With the object id that a token told, unless one was given.
    package func completed(_ identity: Identity, for user: UInt32) -> Identity {
        guard identity.objectID.isEmpty,
            let proof = vault.signIns?.proof(of: identity, by: user, at: vault.clock.now)
        else { return identity }
        return (try? Identity(name: identity.name, objectID: proof.person.objectID)) ?? identity
    }

    /// What lets an account be registered, or logged in to.
    package enum Admission {
        case notNeeded
        case proved(SignIns.Proven)
        case refused(EnrollmentStatus)
    }

    package func admission(to identity: Identity, for user: UInt32) -> Admission {
        guard let signIns = vault.signIns else { return .notNeeded }
        if let proof = signIns.proof(of: identity, by: user, at: vault.clock.now) {
            return .proved(proof)
        }
        return .refused(
            EnrollmentStatus(
                identity, .credentialsNeeded,
                "nobody has signed in to it at \(signIns.settings.issuer) in the last minutes"))
    }

    /// The account has what was proved of its person; the proof does not count again. It is the one
    /// that was looked at before: a passphrase that came slowly must not outlast it.
    package func use(
        _ admission: Admission, of identity: Identity, for user: UInt32, by account: AccountID
    ) {
        guard case .proved(let proof) = admission else { return }
        if vault.enrollments.record(of: account)?.person != proof.signedIn(by: issuer) {
            apply(proof, to: account)
        }
        vault.signIns?.forgetProofs(of: identity, by: user)
    }

    /// An account that is registered; at once, so that a block ends which waited for it.
    package func apply(_ proof: SignIns.Proven, to account: AccountID) {
        // The token's time counts, not that of its delivery.
        let age = max(0, Clock().now.wallSeconds - proof.person.issued)
        Enrollment(tree).happen(
            .signedIn(proof.signedIn(by: issuer), age: age), to: account, as: .policy)
    }

    private var issuer: String { vault.signIns?.settings.issuer ?? "" }
}
