// Enrolment results in the SDK's numbers.

package import MAMModel

/// `IntuneMAMEnrollmentStatusCode`: the SDK's numbers for the results of an enrolment request.
package enum StatusCode: Int, Sendable, CaseIterable {
    case newPolicy = 100
    case policyUnchanged = 101
    case wipeReceived = 102
    case noPolicy = 103
    case unenrolled = 104
    case notLicensed = 200
    case internalError = 201
    case obsolete = 202
    case credentialsNeeded = 203
    case locationUnreachable = 204
    case enrollmentUnreachable = 205
    case notUnderstood = 206
    case nilAccount = 207
    case alreadyEnrolled = 208
    case notAllowed = 209
    case otherUserOfDevice = 210
    case notDeviceAccount = 211
    case policyUnreachable = 212
    case notEnrolled = 213
    case notTheEnrolledAccount = 214
    case dataNotCleared = 215
    case timeout = 216
    case authenticationError = 217
    case removeExistingFirst = 218
    case loginCanceled = 219
    case recordGone = 220
    case sameUserOnly = 221
    case tenantMigrated = 222
    case notInExtension = 223
    case oldLibrary = 224
    case notTargeted = 225
    case deviceBlocked = 226
    case singleAccountOnly = 227

    package var didSucceed: Bool { rawValue < 200 }

    /// A line for people.
    package var meaning: String { row.meaning }

    /// When mamd returns it; nil if it never does.
    package var cause: String? { row.cause }

    private var row: (meaning: String, cause: String?) {
        switch self {
        case .newPolicy:
            ("new policy received", "a check-in gave the account another policy, or its first")
        case .policyUnchanged:
            ("policy unchanged", "a check-in found the account's policy unchanged")
        case .wipeReceived: ("wipe received", "an administrator's wipe document was carried out")
        case .noPolicy:
            (
                "registered, but no policy covers it",
                "no document covers the account; retried later"
            )
        case .unenrolled: ("unenrolled and deregistered", "account deregister, or a wipe")
        case .notLicensed: ("the account is not licensed", nil)
        case .internalError: ("internal error", nil)
        case .obsolete: ("the service is disabled", nil)
        case .credentialsNeeded:
            ("credentials are needed", "ADALAuthority is set, and nobody has signed in")
        case .locationUnreachable: ("the location service is unreachable", nil)
        case .enrollmentUnreachable:
            (
                "the enrolment endpoint is unreachable",
                "the CheckIn hook failed for an account that is not enrolled"
            )
        case .notUnderstood: ("the answer cannot be parsed", "a policy document cannot be read")
        case .nilAccount: ("no account was named", nil)
        case .alreadyEnrolled:
            ("the account is registered already", "registered again; nothing changed")
        case .notAllowed:
            (
                "the account is not allowed here and must be removed",
                "AllowedAccounts does not name it, or its name is another user's (AccountUsers)"
            )
        case .otherUserOfDevice: ("the device is enrolled for another user", nil)
        case .notDeviceAccount: ("not the device's account", nil)
        case .policyUnreachable:
            (
                "the policy endpoint is unreachable",
                "the policy directory cannot be read, or the CheckIn hook failed"
            )
        case .notEnrolled:
            (
                "the account is not enrolled",
                "deregister of an unknown account, or login of a deregistered one"
            )
        case .notTheEnrolledAccount: ("not the enrolled account", nil)
        case .dataNotCleared:
            ("the account's data could not be cleared", "a wipe left files; it continues later")
        case .timeout: ("timeout", "the CheckIn hook timed out")
        case .authenticationError: ("the authentication library failed", nil)
        case .removeExistingFirst: ("the existing account must be removed first", nil)
        case .loginCanceled: ("login was canceled", nil)
        case .recordGone: ("the service no longer has a record of it", nil)
        case .sameUserOnly:
            (
                "only the same, still registered account may enrol again",
                "another user registered the account"
            )
        case .tenantMigrated: ("the tenant has moved", nil)
        case .notInExtension: ("not supported in an extension", nil)
        case .oldLibrary: ("the authentication library is too old", nil)
        case .notTargeted: ("licensed, but not targeted by a policy", nil)
        case .deviceBlocked: ("the device's state forbids enrolment", nil)
        case .singleAccountOnly:
            (
                "only one managed account is allowed",
                "MultiManagedIdentities is off and the user has an account"
            )
        }
    }
}

/// The result of one attempt.
package struct EnrollmentStatus: Sendable {
    package let identity: Identity
    package let code: StatusCode
    /// The reason, where the code alone is not enough.
    package let reason: String?

    package init(_ identity: Identity, _ code: StatusCode, _ reason: String? = nil) {
        self.identity = identity
        self.code = code
        self.reason = reason
    }

    package var errorString: String? {
        code.didSucceed ? nil : reason.map { "\(code.meaning): \($0)" } ?? code.meaning
    }

    package var json: JSONValue {
        [
            "identity": .string(identity.name), "accountId": .string(identity.objectID),
            "didSucceed": .bool(code.didSucceed), "statusCode": JSONValue(code.rawValue),
            "errorString": JSONValue(errorString),
        ]
    }
}
