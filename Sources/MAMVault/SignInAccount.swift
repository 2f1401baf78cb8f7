// Whom a sign-in is for, and how it goes.

package import MAMEnrollment
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
internal import MAMSettings
internal import MAMSignIn
internal import MAMSystem

/// How a token is got.
package enum SignInWay: Sendable {
    case browser
    /// Another device's browser (RFC 8628).
    case deviceCode
    /// A refresh token; nobody is asked.
    case refresh
}

/// An account that a person signs in to.
package struct SignInAccount: Sendable {
    package let name: String
    package let objectID: String
    /// Of the person who signed in to it before.
    let subject: String?
    let nonce: String?

    /// `former`: counts only if the same issuer proved it.
    package init(
        name: String, objectID: String, former: SignedInPerson?, issuer: String
    ) {
        self.name = name
        self.objectID = objectID
        let known = former?.issuer == issuer ? former : nil
        (subject, nonce) = (known?.subject, known?.nonce)
    }

    package var isKnown: Bool { subject != nil }

    var identity: Identity? { try? Identity(name: name, objectID: objectID) }
}

extension SignIns.Proven {
    /// The object id comes from the token where the account has none.
    package func isOf(_ identity: Identity) -> Bool {
        guard isSameName(account.name, identity.name) else { return false }
        return identity.objectID.isEmpty
            || isSameName(identity.objectID, person.objectID)
            || isSameName(identity.objectID, account.objectID)
    }

    /// For the account's record.
    package func signedIn(by issuer: String) -> SignedInPerson {
        SignedInPerson(
            issuer: issuer, subject: person.subject, nonce: person.nonce, groups: person.groups)
    }
}

extension Vault {
    /// Of all accounts whose issuer has told; and of those that will be registered next.
    package var provenGroups: [ProvenGroups] {
        guard let signIns else { return [] }
        let known = keyring.accounts.compactMap { account in
            enrollments.record(of: account)?.person.flatMap { person in
                person.issuer == signIns.settings.issuer
                    ? person.groups.map { ProvenGroups(of: identity(of: account), $0) } : nil
            }
        }
        // What was proved last counts, of an account that has signed in again.
        let new = signIns.groups(at: clock.now)
        return known.filter { one in !new.contains { $0.account.matches(one.account) } } + new
    }
}
