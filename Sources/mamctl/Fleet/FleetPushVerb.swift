// `fleet push`: a directory of policies becomes what machines obey.

internal import Glibc
internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func pushPolicies(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("next") { return try pushNextStep(invocation) }
    try invocation.refuseWithoutNext()
    guard let place = invocation.operands.first else { throw invocation.misuse("DIR is missing") }
    let fleet = try FleetDirectory(of: invocation)
    let planned = try PlannedPush(of: place, fleet, invocation)
    planned.show(invocation)
    let isDry = invocation.arguments.has("dry-run")
    if !isDry {
        try sign(
            planned.work, planned.shown, planned.validity, fleet, invocation, by: planned.rings)
    }
    guard isDry || invocation.arguments.has("local") else {
        return try planned.send(from: fleet.place, invocation)
    }
    let isSigned = !isDry && !planned.work.isEmpty
    if invocation.isJSON {
        printJSON(planned.shown.json(isSigned: isSigned, published: nil, error: nil))
    }
    if isSigned { try tellHowTheyGoOut(from: fleet) }
    return .success
}

/// What a push would sign, and what that does.
private struct PlannedPush {
    let shown: ShownPush
    let work: [PolicyChange]
    let validity: (issued: Int64, expires: Int64)
    private let survey: Survey
    private let plan: RingPlan?

    init(of place: ByteString, _ fleet: FleetDirectory, _ invocation: Invocation) throws {
        let (directory, root) = (fleet.place, fleet.root)
        validity = try mamctl.validity(
            days: usualDays, atMost: SignedDocument.longestDays, invocation)
        let scope = try PushScope(invocation, in: root.root)
        let signed = try directory.signedPolicies(by: root.root, of: root.organization).filter {
            // Others were signed by hand, and stay.
            $0.slot.kind == .policy || $0.slot == settingsSlot
        }
        let wanted = try scope.named(wantedPolicies(in: place, KnownGroups(directory)))
        let push = PolicyPush(
            try wanted + (scope.hasSettings ? wantedSettings(in: directory) : []),
            signed: signed.filter { scope.includes($0.slot) },
            isPruning: invocation.arguments.has("prune"), at: validity.issued)
        survey = try fleet.survey(invocation)
        plan = try ringPlan(for: push, survey, directory, invocation)
        shown = ShownPush(push, since: signed, survey, invocation, plan: plan)
        work = push.changes.filter { $0.action != .left }
    }

    var rings: (plan: RingPlan, survey: Survey)? { plan.map { ($0, survey) } }

    func show(_ invocation: Invocation) {
        let isAnswered = invocation.arguments.has("dry-run") || invocation.arguments.has("yes")
        if invocation.isJSON, isAnswered { shown.showDoubts() } else { shown.show() }
        // What is unchanged may be for a ring alone.
        if let rollout = survey.rollout, !work.contains(where: \.goesByRings) {
            printError(survey.words(rollout))
        }
    }

    func send(
        from directory: OrganizationDirectory, _ invocation: Invocation
    ) throws(Failure) -> ExitStatus {
        if invocation.isJSON { return try publish(shown, isSigned: !work.isEmpty, directory) }
        // Whether or not it can be sent.
        if !work.isEmpty {
            printError("Signed in \(directory.whole(OrganizationDirectory.signed).shown).")
        }
        throw executeMamfleet([ByteString("push"), directory.path])
    }
}

/// Of `--rings`, if something changes that goes by them.
private func ringPlan(
    for push: PolicyPush, _ survey: Survey, _ directory: OrganizationDirectory,
    _ invocation: Invocation
) throws -> RingPlan? {
    let shares = try ringShares(invocation)
    guard let shares, push.changes.contains(where: \.goesByRings) else { return nil }
    try refuseOtherRollout(than: push, in: directory)
    return RingPlan(shares, for: push, survey)
}

/// Once somebody agrees; nothing if there is no change. Without a plan all machines get it.
func sign(
    _ work: [PolicyChange], _ shown: ShownPush, _ validity: (issued: Int64, expires: Int64),
    _ fleet: FleetDirectory, _ invocation: Invocation,
    by rings: (plan: RingPlan, survey: Survey)? = nil, as event: LogEntry.Event = .push
) throws {
    guard !work.isEmpty else { return }
    let key = try FleetKey(of: invocation)
    for change in work { try key.require(change.slot, in: fleet.root.root) }
    let documents = try work.map { change in
        try SteppedDocument(
            change, rings?.plan, fleet.root.organization, validity, in: fleet.place)
    }
    if rings != nil, !invocation.arguments.has("local") { try refuseToSendSteps(work, fleet) }
    try agree(to: shown, "Sign \(work.count.counted("document"))?", invocation)
    let found = documents.compactMap(\.newRing)
    try alone(in: fleet.place) {
        if let rings, !found.isEmpty {
            try fleet.place.noteRollout(of: found, rings.survey, at: validity.issued)
        }
        for document in documents { try document.sign(key, in: fleet.place, as: event) }
    }
}

/// What closes all that it covers, or covers nobody, is asked for by name: `yes` is typed too fast.
func agree(to push: ShownPush, _ question: Message, _ invocation: Invocation) throws {
    let refusal: Message = "nothing was signed"
    try agree(to: question, orElse: refusal, invocation)
    if invocation.arguments.has("yes") { return }
    for (name, doubt) in push.doubts {
        let typed = try Terminal.askOpenly("\(doubt). Type \(name) to sign it nevertheless")
        guard typed.text == name else { throw Failure(.failure, refusal) }
    }
}

/// One object of what both programs did, also where `mamfleet` could not publish.
private func publish(
    _ push: ShownPush, isSigned: Bool, _ directory: OrganizationDirectory
) throws(Failure) -> ExitStatus {
    let sent = try sendDocuments(of: directory)
    printJSON(push.json(isSigned: isSigned, published: sent.answer, error: sent.error))
    return sent.status
}

/// What `mamfleet push` answers.
func sendDocuments(
    of directory: OrganizationDirectory
) throws(Failure) -> (answer: JSONValue?, error: JSONValue?, status: ExitStatus) {
    let program = companion("mamfleet")
    let (answer, end): (JSONValue?, ProcessEnd)
    do throws(Errno) {
        (answer, end) = try jsonOutput(
            of: [program, ByteString("push"), ByteString("--json"), directory.path])
    } catch { throw Failure(noMamfleet: program, error) }
    let error = answer?.object?["error"]
    // Without one all was sent but what waits for order keys, if anything does.
    return (error == nil ? answer : nil, error, ExitStatus(end))
}

extension Invocation {
    /// Options that `--next` alone has.
    fileprivate func refuseWithoutNext() throws(Failure) {
        for name in ["despite", "wait", "tolerate"] where arguments.has(name) {
            throw misuse("--\(name) needs --next")
        }
    }
}
