// `fleet push --next`: the next step of a push by rings, when the machines of this one are well.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

/// How long a step is out, unless something else is given: as long as a check-in counts.
private let usualSeconds: Int64 = secondsPerDay
private let signingOptions = ["key", "prune", "rings", "expires", "verbose"]

func pushNextStep(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.refuse(signingOptions, with: "next")
    guard invocation.operands.isEmpty else { throw invocation.misuse("--next takes no DIR") }
    let fleet = try FleetDirectory(of: invocation)
    let step = try alone(in: fleet.place) { try takeNextStep(of: fleet, invocation) }
    guard step.isTaken else { return step.status }
    guard invocation.isJSON || invocation.arguments.has("local") else {
        throw executeMamfleet([ByteString("push"), fleet.place.path])
    }
    let sent = invocation.arguments.has("local") ? nil : try sendDocuments(of: fleet.place)
    if invocation.isJSON {
        printJSON(
            step.json.merging([
                "published": sent?.answer ?? .null, "error": sent?.error ?? .null,
            ]))
    }
    return sent?.status ?? .success
}

/// Judged and taken at once: of two the second sees what the first has left.
private func takeNextStep(
    of fleet: FleetDirectory, _ invocation: Invocation
) throws -> (isTaken: Bool, status: ExitStatus, json: JSONValue) {
    let survey = try fleet.survey(invocation)
    guard let rollout = try survey.readableRollout(in: fleet.place) else {
        throw Failure(
            .notFound, "\(fleet.place.path.shown): no policy waits for its next step",
            next: "mamctl fleet push DIR --rings 5,25 signs steps")
    }
    let now = Int64(currentTime())
    let verdict = rollout.verdict(
        at: now, after: try duration("wait", invocation) ?? usualSeconds,
        tolerating: Int(try number("tolerate", 0...1_000_000, invocation) ?? 0))
    let goesOn = try verdict == .well || isNamed(rollout, invocation)
    let isDry = invocation.arguments.has("dry-run")
    if !invocation.isJSON {
        let words = rollout.words(survey.names, verdict)
        if isDry || !goesOn { printOut(words) } else { printError(words) }
    }
    guard goesOn, !isDry else {
        let json = rollout.json(survey.names, verdict, isPushed: false)
        if invocation.isJSON { printJSON(json) }
        return (false, goesOn ? .success : .attention, json)
    }
    try rollout.requireOrderKeys(
        in: fleet.place, by: fleet.root.root, of: fleet.root.organization)
    try fleet.place.advance(rollout, survey, at: now)
    fleet.place.note(rollout.next.map { LogEntry(.next, $0.place, $0.envelope) })
    return (true, .success, rollout.json(survey.names, verdict, isPushed: true))
}

/// Whether each of its policies is named by `--despite`.
private func isNamed(_ rollout: Rollout, _ invocation: Invocation) throws(Failure) -> Bool {
    let names = Set(rollout.policies.map(\.slot.name))
    let given = Set(invocation.arguments.values("despite").map(\.shown))
    guard let other = given.subtracting(names).min() else { return given == names }
    throw Failure(
        .usage, "--despite is '\(other)', which does not wait for its next step",
        next: "name all of \(names.sorted().joined(separator: ", "))")
}

extension Survey {
    /// Refuses one that the survey could not read.
    fileprivate func readableRollout(
        in directory: OrganizationDirectory
    ) throws(Failure) -> Rollout? {
        let place = "\(OrganizationDirectory.rings)/"
        guard let file = unreadable.first(where: { $0.name.hasPrefix(place) }) else {
            return rollout
        }
        throw Failure(
            .damaged, "\(directory.whole(file.name).shown): \(Message(known: file.reason))",
            next: "push again, with --rings or without")
    }
}

extension Rollout {
    /// One sentence on where it stands.
    func summary(_ verdict: Verdict) -> Message {
        let names = policies.map(\.slot.name).joined(separator: ", ")
        let state: Message = "\(names): \(share) % since \(rfc3339(since)); next \(nextShare) %"
        let count = ring.count.grouped
        switch verdict {
        case .ill:
            return Message(
                ill.count, one: "\(state). It has stopped: \(ill.count.grouped) machine is worse",
                many: "\(state). It has stopped: \(ill.count.grouped) machines are worse")
        case .waiting where ring.isEmpty: return "\(state). It waits: no machine has it yet"
        case .waiting where hasAnswered:
            return "\(state). \(answered.count.grouped) of \(count) are well; --wait is not over"
        case .waiting: return "\(state). It waits: \(answered.count.grouped) of \(count) are well"
        case .well: return "\(state): \(answered.count.grouped) of \(count) are well"
        }
    }

    fileprivate func words(_ names: [MachineID: String], _ verdict: Verdict) -> Message {
        let rows = worst(names).map { "\n    \($0.name)  \($0.why)" as Message }
        let next: Message =
            verdict == .well
            ? ""
            : "\nmamctl fleet restore POLICY goes back; --next --despite POLICY goes on"
                + " nevertheless"
        return ([summary(verdict)] + rows + [next]).joined(separator: "")
    }

    /// Machines that are worse, and why.
    private func worst(_ names: [MachineID: String]) -> [(name: String, why: Message)] {
        ill.map { id, reasons in
            (names[id] ?? id.description, reasons.map(\.words).joined(separator: "; "))
        }.sorted { $0.0 < $1.0 }
    }

    fileprivate func json(
        _ names: [MachineID: String], _ verdict: Verdict, isPushed: Bool
    ) -> JSONValue {
        [
            "verdict": .string(verdict.rawValue),
            "policies": JSONValue(texts: policies.map { $0.slot.description }),
            "share": JSONValue(share), "next": JSONValue(nextShare),
            "since": .string(rfc3339(since)), "ring": JSONValue(texts: ring.map(\.description)),
            "answered": JSONValue(texts: answered.map(\.description)),
            "ill": .array(
                ill.sorted { $0.key.description < $1.key.description }.map { id, reasons in
                    [
                        "machine": .string(id.description), "name": JSONValue(names[id]),
                        "reasons": .array(
                            reasons.map {
                                ["kind": .string($0.name), "text": .string($0.words.english)]
                            }),
                    ]
                }), "pushed": .bool(isPushed), "published": .null, "error": .null,
        ]
    }
}

extension Rollout.Reason {
    fileprivate var name: String {
        switch self {
        case .lacks: "lacks"
        case .problem: "problem"
        case .closed: "closed"
        case .gone: "gone"
        case .notCompliant: "notCompliant"
        }
    }

    fileprivate var words: Message {
        switch self {
        case .lacks: "it has refused the documents, or they were held back for an hour"
        case .problem(let text): "check-ins fail: \(excerpt(of: text))"
        case .closed(let name, let reason):
            "\(excerpt(of: name)) is blocked: \(excerpt(of: reason))"
        case .gone(let id): "the account \(id.description) is gone"
        case .notCompliant(let name): "\(excerpt(of: name)) does not meet its conditions"
        }
    }
}
