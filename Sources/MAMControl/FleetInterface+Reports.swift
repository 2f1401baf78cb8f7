// What the fleet service fetches: reports, signed with the machine's key.

internal import MAMFleet
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMVault
internal import MAMWire

extension FleetInterface {
    func enrol(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Enrol.Reply {
        let request: Wire.Enrol = try call.request()
        try requireTrusted(call, toDo: "enrol the machine")
        guard isName(request.invitation) else { throw .invalidParameter("invitation") }
        guard isTransportKey(request.transportKey) else { throw .invalidParameter("transportKey") }
        let organization = try reports.standing().1.organization
        let enrolment = EnrolmentRequest(
            invitation: request.invitation, transportKey: request.transportKey,
            publicKey: try reports.machineKey(for: organization), host: FleetReports.system.host)
        return .init(request: try reports.signed(.enrolment(enrolment)))
    }

    func status(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Status.Reply {
        _ = try call.request(Wire.Status.self)
        try requireCarrier(call, toDo: "have the machine's status signed")
        return .init(report: try reports.signed(.status(try reports.status())))
    }

    func records(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Records.Reply {
        _ = try call.request(Wire.Records.self)
        try requireCarrier(call, toDo: "fetch recovery records")
        return .init(
            records: try reports.recoveryRecords().map {
                .init(account: $0.account.description, report: $0.report)
            })
    }

    func audit(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Audit.Reply {
        let request: Wire.Audit = try call.request()
        try requireCarrier(call, toDo: "fetch the audit")
        guard request.after >= 0 else { throw .invalidParameter("after") }
        guard request.limit >= 1 else { throw .invalidParameter("limit") }
        let (report, last) = try reports.audit(
            after: Int64(request.after), atMost: request.limit)
        return .init(report: report, last: Int(clamping: last))
    }
}
