// `fleet admit`: machines that ask are shown, and let in.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire
internal import MAMWords

private let membershipName = "groups"

/// A request that is not answered, and why.
private struct RefusedRequest {
    let file: ByteString
    let invitation: String
    let reason: String
}

func admitMachines(_ invocation: Invocation) throws -> ExitStatus {
    var engine = try existingEngine(of: invocation)
    let directory = engine.directory
    let root = try FleetRoot(of: invocation, orOf: directory)
    try pullRequests(directory, invocation)
    let (applicants, refused) = try requests(invocation, directory, root.organization)
    let name = try invocation.arguments.text("name")
    guard name == nil || applicants.count == 1 else {
        throw invocation.misuse("--name is for one machine, and \(applicants.count) ask")
    }
    for applicant in applicants { printError(verbatim: words(for: applicant, name)) }
    for request in refused {
        Failure(.refused, "\(request.file.shown): not admitted: \(Message(known: request.reason))")
            .report(isJSON: false)
    }
    var admitted: [RegisteredMachine] = []
    if !applicants.isEmpty {
        let key = try invocation.arguments.has("key") ? FleetKey(of: invocation) : nil
        try key?.require(Slot(.membership, .all, membershipName), in: root.root)
        try agree(
            to: "Admit \(applicants.count.counted("machine"))?", orElse: "nobody was admitted",
            invocation)
        for applicant in applicants {
            admitted.append(try admit(applicant, named: name, &engine, key, root.organization))
        }
    }
    // Also what a former run has not sent.
    let sent = try sendAnswers(directory, invocation)
    report(admitted, refused, applicants, invocation)
    return refused.isEmpty ? sent : .refused
}

/// All requests, or those of the operands.
private func requests(
    _ invocation: Invocation, _ directory: OrganizationDirectory, _ organization: Bytes16
) throws -> ([Applicant], [RefusedRequest]) {
    var admission = Admission(
        organization, invitations: try directory.invitationRecords(),
        machines: try directory.registeredMachines(), answered: Set(try directory.answers().keys))
    let wanted = try Set(invocation.operands.map { try id($0.shown, "the invitation") })
    var (applicants, refused): ([Applicant], [RefusedRequest]) = ([], [])
    var found: Set<Bytes16> = []
    for file in try directory.files(below: OrganizationDirectory.requests) {
        let stem = String(file.dropFirst(OrganizationDirectory.requests.count + 1).dropLast(5))
        guard let sentAs = Bytes16(hex: stem), sentAs.description == stem else { continue }
        guard wanted.isEmpty || wanted.contains(sentAs) else { continue }
        found.insert(sentAs)
        let bytes = try directory.read(file, atMost: ReportEnvelope.maximumByteCount)
        switch admission.judge(bytes, sentAs: sentAs, at: Int64(currentTime())) {
        case .applicant(let applicant): applicants.append(applicant)
        case .admitted: break
        case .refused(let reason):
            refused.append(
                RefusedRequest(
                    file: directory.whole(file), invitation: stem,
                    reason: ByteString("\(reason)").shown))
        }
    }
    if let missing = wanted.subtracting(found).first {
        throw Failure(
            .notFound, "nobody asks with the invitation \(missing)",
            next: "mamfleet pull \(directory.path.asArgument) gets the requests")
    }
    return (applicants, refused)
}

private func words(for applicant: Applicant, _ name: String?) -> String {
    let invitation = applicant.invitation
    return table([
        ["machine", .verbatim(applicant.machine.description)],
        ["calls itself", .verbatim(shown(applicant.host))],
        ["name", .verbatim(ByteString(name ?? applicant.name).shown)],
        ["asked at", .verbatim(rfc3339(applicant.asked))],
        ["invitation", "\(invitation.id) \(shown(invitation.note))"],
        ["groups", .verbatim(invitation.groups.joined(separator: ", "))],
    ])
        + (applicant.endedConnection == nil
            ? ""
            : "\n\(("It has joined before: its former connection ends." as Message).translated)")
}

/// The answer last: what the machine then fetches is there already.
private func admit(
    _ applicant: Applicant, named name: String?, _ engine: inout Engine, _ key: FleetKey?,
    _ organization: Bytes16
) throws -> RegisteredMachine {
    let directory = engine.directory
    let now = Int64(currentTime())
    var invitation = applicant.invitation
    invitation.machine = applicant.machine
    try directory.write(invitation)
    var entry = LogEntry(.admit, machine: applicant.machine)
    entry.invitation = invitation.id
    if let key, !invitation.groups.isEmpty {
        entry.document = try signMembership(of: applicant, key, organization, now, in: directory)
    }
    if let former = applicant.former, applicant.endedConnection != nil {
        try engine.revoke([former.transportKey: former.admitted], at: now)
    }
    let machine = RegisteredMachine(applicant, named: name ?? applicant.name, at: now)
    try directory.write(machine)
    try directory.writeAnswer(
        invitation.id, machine.machine, try engine.token(of: machine, at: now))
    directory.note([entry])
    return machine
}

private func signMembership(
    of applicant: Applicant, _ key: FleetKey, _ organization: Bytes16, _ now: Int64,
    in directory: OrganizationDirectory
) throws -> LogEntry.Document {
    let content = Membership(groups: Set(applicant.invitation.groups)).json.encoded()
    let name = "\(OrganizationDirectory.signed)/\(applicant.machine)@\(membershipName).json"
    let path = directory.whole(name)
    let former = try directory.has(name) ? try FleetFile(reading: path).statement.serial : nil
    var file = try FleetFile(
        path, Slot(.membership, .machine(applicant.machine), membershipName), content,
        of: organization, serial: nextSerial(of: path, after: former, at: now), issued: now,
        expires: now + SignedDocument.longestDays * secondsPerDay)
    try key.sign(&file.envelope)
    try directory.write(name, file.envelope.encoded())
    return try LogEntry.Document(name, file.envelope)
}

private func report(
    _ admitted: [RegisteredMachine], _ refused: [RefusedRequest], _ applicants: [Applicant],
    _ invocation: Invocation
) {
    if invocation.isJSON {
        printJSON([
            "admitted": .array(admitted.map(\.json)),
            "refused": .array(
                refused.map {
                    ["invitation": .string($0.invitation), "reason": .string($0.reason)]
                }),
        ])
        return
    }
    for machine in admitted {
        printOut("\(machine.machine)  \(shown(machine.name))  admitted")
    }
    if admitted.isEmpty, refused.isEmpty { printError("Nobody asks who was not admitted yet.") }
    let isUnsigned = !invocation.arguments.has("key")
    if isUnsigned, admitted.contains(where: { !$0.groups.isEmpty }) {
        printError(
            "Their groups are in the register alone: a membership that says so is still to be"
                + " signed, with --key or mamctl fleet sign.")
    }
    if !admitted.isEmpty, !invocation.arguments.has("exchange") {
        printError("mamfleet push sends them the answer.")
    }
}

/// With `--exchange` mamfleet gets the requests before.
private func pullRequests(
    _ directory: OrganizationDirectory, _ invocation: Invocation
) throws {
    guard invocation.arguments.has("exchange") else { return }
    _ = try answer(of: [companion("mamfleet"), ByteString("pull"), directory.path], reading: nil)
}

/// And sends the answers after, of which it says itself what went wrong.
private func sendAnswers(
    _ directory: OrganizationDirectory, _ invocation: Invocation
) throws(Failure) -> ExitStatus {
    guard invocation.arguments.has("exchange") else { return .success }
    return try sendDocuments(of: directory).status
}
