// Who was revoked is let in again, with the key and the token that it has.

package import MAMEngine

extension Engine {
    /// Ends the revocation of a user, whose tokens count again once the servers have the account's
    /// new token. That says so, or a push would take it for one of an older copy.
    package func readmit(
        _ user: NKey, at now: Int64
    ) throws(OrganizationDirectory.Failure) {
        let former = try directory.token(Self.accountToken)
        var (revoked, readmitted) = (former.revoked, former.readmitted)
        // Not `now`: another copy of the directory may have revoked the user since.
        if let time = revoked.removeValue(forKey: user) { readmitted[user] = time }
        try replace(former, revoked, readmitted, at: now)
    }

    /// Writes the account's next token.
    func replace(
        _ former: Token, _ revoked: [NKey: Int64], _ readmitted: [NKey: Int64], at now: Int64
    ) throws(OrganizationDirectory.Failure) {
        // `mamfleet push` takes none that is older than the servers'.
        let issued = max(now, former.issued + 1)
        try directory.write(
            Self.accountToken,
            Self.token(
                of: account, revoked, readmitted: readmitted, at: issued, by: owner))
    }
}
