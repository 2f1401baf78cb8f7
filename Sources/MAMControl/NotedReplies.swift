// Replies that the audit and the log record.

internal import MAMEnrollment
internal import MAMModel
internal import MAMPolicy
internal import MAMVault
internal import MAMWire

extension Varlink.Policy.Decision {
    /// Without what the caller made up: a contained program's data, which the log's readers and the
    /// organisation's engine would get.
    func ownReason(in vault: Vault) -> String {
        message.english { $0 == rule || vault.isOurs($0) }
    }
}

extension Vault {
    fileprivate func isOurs(_ value: String) -> Bool {
        value == Identity.nobody.description || account(named: value) != nil
            || SaveLocation(name: value)?.name == value || OpenLocation(name: value)?.name == value
    }
}

/// The reply to a registration.
protocol EnrollmentReply: VarlinkReply {
    var status: Varlink.Enrollment.Status { get }
}

extension Varlink.Enrollment.Register.Reply: EnrollmentReply {}

extension Varlink.Enrollment.Status {
    init(_ status: EnrollmentStatus) {
        self.init(
            identity: status.identity.name, accountID: status.identity.objectID,
            didSucceed: status.code.didSucceed, statusCode: status.code.rawValue,
            errorString: status.errorString)
    }
}
