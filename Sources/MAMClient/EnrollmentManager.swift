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
        let secret = try passphrase.forRegistering()
        // Omitted otherwise: an earlier daemon does not know it.
        let wish: [String: JSONValue] = newKeys ? ["newKeys": true] : [:]
        return try service.call(
            "Enrollment.Register",
            secret.parameters.adding("name", name).adding("objectId", objectId)
                .merging(wish) { $1 },
            secret.descriptors, Self.readStatus)
    }

    /// Checks in, then unlocks the account: ends a lock-out after too many wrong passphrases, or
    /// after too long without a check-in.
    public func loginAndEnrollAccount(
        _ accountId: String? = nil, passphrase: Passphrase
    ) throws(MAMError) -> EnrollmentStatus {
        let secret = try passphrase.forUnlocking()
        return try service.call(
            "Enrollment.Login", secret.parameters.adding("account", accountId), secret.descriptors,
            Self.readStatus)
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
        try service.call(
            "Enrollment.Deregister",
            [
                "account": .string(accountId), "wipe": .bool(withWipe),
                "confirmed": .bool(withWipe),
            ], [],
            Self.readStatus)
    }

    /// The accounts that the caller may lock, each with its last enrolment result.
    public func registeredAccounts() throws(MAMError) -> [EnrollmentStatus] {
        try list().map(\.status)
    }

    /// Those that are enrolled.
    public func enrolledAccounts() throws(MAMError) -> [EnrollmentStatus] {
        try list().filter { $0.stage == "enrolled" }.map(\.status)
    }

    /// The names or object ids that may be registered here; nil: any. Sign out all others.
    public func allowedAccounts() throws(MAMError) -> [String]? {
        try service.call("Enrollment.AllowedAccounts") { reply throws(VarlinkError) in
            reply.has("accounts") ? try reply.strings("accounts") : nil
        }
    }

    /// Checks in and evaluates policy's conditions: `remediateComplianceForAccountId`.
    public func remediateCompliance(
        forAccountId accountId: String? = nil
    ) throws(MAMError) -> Compliance {
        try service.call("Enrollment.CheckCompliance", [:].adding("account", accountId)) {
            reply throws(VarlinkError) in
            Compliance(
                status: Compliance.Status(rawValue: try reply.integer("status")) ?? .notCompliant,
                reason: try reply.optionalString("reason"))
        }
    }

    private typealias Entry = (stage: String, status: EnrollmentStatus)

    private func list() throws(MAMError) -> [Entry] {
        try service.call("Enrollment.List") { reply throws(VarlinkError) in
            var found: [Entry] = []
            for entry in try reply.objects("enrollments") {
                found.append((try entry.string("stage"), try Self.readStatus(entry)))
            }
            return found
        }
    }

    private static func readStatus(_ wire: Parameters) throws(VarlinkError) -> EnrollmentStatus {
        try EnrollmentStatus(try wire.object("status"))
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

    init(_ wire: Parameters) throws(VarlinkError) {
        identity = try wire.string("identity")
        accountId = try wire.string("accountId")
        didSucceed = try wire.bool("didSucceed")
        statusCode = try wire.integer("statusCode")
        errorString = try wire.optionalString("errorString")
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
