// Replies that can be a refusal, which the audit records.

internal import MAMEnrollment
internal import MAMModel
internal import MAMWire

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
