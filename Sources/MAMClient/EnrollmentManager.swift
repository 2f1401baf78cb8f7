// Adding and removing accounts: the SDK's IntuneMAMEnrollmentManager.

internal import MAMModel
internal import MAMWire

/// Registers accounts, checks in, and removes accounts. ``Workspace/watch()`` reports later
/// results.
public struct EnrollmentManager: Sendable {
    let service: Service

    /// Makes an identity a managed account, and enrols it at once.
    ///
    /// - Parameters:
    ///   - name: the user principal name.
    ///   - objectId: the object id in the directory, if known.
    ///   - passphrase: its new passphrase.
    ///   - newKeys: also if sealed files have the name but their keys are not here: the new keys do
    ///     not open them. Ask the user before.
    /// - Returns: the result; a refusal is a status too, such as 209 or 227.
    /// - Throws: ``MAMError/Code/refused`` for such files without `newKeys`; another ``MAMError``
    ///   if the daemon cannot be reached or rejects the call.
    public func registerAndEnrollAccount(
        _ name: String, objectId: String? = nil, passphrase: Passphrase, newKeys: Bool = false
    ) throws(MAMError) -> EnrollmentStatus {
        let secret = try passphrase.secret()
        let request = Varlink.Enrollment.Register(
            name: name, objectID: objectId, passphraseDescriptor: secret.index,
            noPassphrase: secret.index == nil ? true : nil,
            // Omitted otherwise: an earlier daemon does not know it.
            newKeys: newKeys ? true : nil)
        return EnrollmentStatus(try service.call(request, secret.descriptors).status)
    }

    /// Checks in, then unlocks the account: ends a lock-out after too many wrong passphrases, or
    /// after too long without a check-in.
    public func loginAndEnrollAccount(
        _ accountId: String? = nil, passphrase: Passphrase
    ) throws(MAMError) -> EnrollmentStatus {
        let secret = try passphrase.secret()
        let request = Varlink.Enrollment.Login(
            account: accountId, passphraseDescriptor: secret.index)
        return EnrollmentStatus(try service.call(request, secret.descriptors).status)
    }

    /// Deregisters an account. A call with a wipe counts as confirmed: ask the user before.
    ///
    /// - Parameters:
    ///   - accountId: the account.
    ///   - withWipe: destroys its keys and files; otherwise its keys stay, sealed, until it is
    ///     registered again.
    /// - Returns: 104 when it is gone, 215 if something of it is left.
    /// - Throws: ``MAMError/Code/refused`` in a workspace that is mounted read-only.
    public func deRegisterAndUnenrollAccount(
        _ accountId: String, withWipe: Bool
    ) throws(MAMError) -> EnrollmentStatus {
        let request = Varlink.Enrollment.Deregister(
            account: accountId, wipe: withWipe, confirmed: withWipe)
        return EnrollmentStatus(try service.call(request).status)
    }

    /// The accounts that the caller may lock, each with its last enrolment result.
    public func registeredAccounts() throws(MAMError) -> [EnrollmentStatus] {
        try list().map { EnrollmentStatus($0.status) }
    }

    /// Those that are enrolled.
    public func enrolledAccounts() throws(MAMError) -> [EnrollmentStatus] {
        try list().filter { $0.stage == .enrolled }.map { EnrollmentStatus($0.status) }
    }

    /// The names or object ids that may be registered here; nil: any. Sign out all others.
    public func allowedAccounts() throws(MAMError) -> [String]? {
        try service.call(Varlink.Enrollment.AllowedAccounts()).accounts
    }

    /// Checks in and evaluates policy's conditions: `remediateComplianceForAccountId`.
    public func remediateCompliance(
        forAccountId accountId: String? = nil
    ) throws(MAMError) -> Compliance {
        let reply = try service.call(Varlink.Enrollment.CheckCompliance(account: accountId))
        return Compliance(
            status: Compliance.Status(rawValue: reply.status) ?? .notCompliant,
            reason: reply.reason)
    }

    private func list() throws(MAMError) -> [Varlink.Enrollment.Enrollment] {
        try service.call(Varlink.Enrollment.List()).enrollments
    }
}

/// The result of a request: `IntuneMAMEnrollmentStatus`.
public struct EnrollmentStatus: Sendable, Hashable {
    /// The user principal name.
    public let identity: String
    /// The object id; empty if it has none.
    public let accountId: String
    /// The status code is below 200.
    public let didSucceed: Bool
    /// `IntuneMAMEnrollmentStatusCode`; docs/ENROLLMENT.md has the table.
    public let statusCode: Int
    /// One sentence about a failure.
    public let errorString: String?

    init(_ wire: Varlink.Enrollment.Status) {
        identity = wire.identity
        accountId = wire.accountID
        didSucceed = wire.didSucceed
        statusCode = wire.statusCode
        errorString = wire.errorString
    }
}

/// Whether an account may be used.
public struct Compliance: Sendable, Hashable {
    /// The SDK's numbers.
    public enum Status: Int, Sendable, Hashable {
        /// It may be used.
        case compliant = 0
        /// A condition is not met.
        case notCompliant = 1
        /// The policies could not be read.
        case serviceFailure = 2
        /// The check-in had no network.
        case networkFailure = 3
        /// The user has to enter a passphrase.
        case interactionRequired = 4
        /// The user cancelled.
        case userCancelled = 5
    }

    /// The outcome.
    public let status: Status
    /// One sentence; nil if there is nothing to say.
    public let reason: String?
}
