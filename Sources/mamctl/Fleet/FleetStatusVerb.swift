// `fleet status`: the machines that need attention, and sums of the others.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func showFleetStatus(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let survey = try directory.survey(invocation)
    let shown = try survey.machines(of: invocation)
    let machines =
        shown?.map { survey.machines[$0] } ?? survey.machines.filter { isListed($0, invocation) }
    if invocation.arguments.has("csv") {
        try invocation.refuse(["json"], with: "csv")
        writeOut(Array(survey.csv(machines).utf8))
    } else if invocation.isJSON {
        printJSON(survey.json(directory.root, machines))
    } else if shown != nil {
        printOut(verbatim: machines.map { survey.details(of: $0) }.joined(separator: "\n\n"))
    } else {
        show(survey, directory.root, machines)
    }
    guard invocation.arguments.has("check") else { return .success }
    let relevant = shown == nil ? survey.machines : machines
    let isWell =
        relevant.allSatisfy(\.attention.isEmpty) && (shown != nil || survey.flaws.isEmpty)
    return isWell ? .success : .attention
}

private func isListed(_ machine: SurveyedMachine, _ invocation: Invocation) -> Bool {
    if invocation.arguments.has("problem") { return machine.status?.problem != nil }
    return invocation.arguments.has("all") || !machine.attention.isEmpty
}

private func show(_ survey: Survey, _ root: FleetRoot, _ machines: [SurveyedMachine]) {
    if !machines.isEmpty {
        let rows: [[Message]] = machines.map {
            [.verbatim(excerpt(of: $0.label)), $0.state.label, $0.why]
        }
        printOut(verbatim: table(rows, width: outputWidth) + "\n")
    }
    for sentence in survey.flaws + survey.warnings { printOut(sentence) }
    printOut(verbatim: survey.sums.words(of: root.root.name, survey.machines.count))
}

extension SurveyedMachine.State {
    var label: Message {
        switch self {
        case .compliant: "compliant"
        case .attention: "attend"
        case .stale: "stale"
        case .silent: "silent"
        case .refused: "refused"
        case .retired: "retired"
        case .revoked: "revoked"
        }
    }

    /// After a number.
    var words: Message {
        switch self {
        case .compliant: "compliant"
        case .attention: "to attend to"
        case .stale: "stale"
        case .silent: "silent so far"
        case .refused: "with reports that do not count"
        case .retired: "retired"
        case .revoked: "revoked"
        }
    }
}

extension Bool? {
    fileprivate var words: Message { map { $0 ? "yes" : "no" } ?? "unknown" }
}

extension Survey.Sums {
    fileprivate func words(of name: String, _ count: Int) -> String {
        let states: [Message] = SurveyedMachine.State.allCases.compactMap { state in
            self.states[state].map { "\($0.grouped) \(state.words)" }
        }
        let versions = self.versions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let newest: [Message] = versions.prefix(5).map {
            "\(excerpt(of: $0.key)) (\($0.value.grouped))"
        }
        let more = versions.count - newest.count
        let rows: [[Message]?] = [
            ["machines", "\(count.grouped) of \(excerpt(of: name))"],
            states.isEmpty ? nil : ["states", states.joined(separator: ", ")],
            ["check-ins fail", (attention["problem"] ?? 0).grouped],
            ["documents lack", (attention["documents"] ?? 0).grouped],
            pending > 0 ? ["orders pending", Int(clamping: pending).grouped] : nil,
            ["refused in 7 days", Int(clamping: refused).grouped],
            newest.isEmpty
                ? nil
                : [
                    "versions",
                    (newest + (more > 0 ? ["\(more) more"] : [])).joined(separator: ", "),
                ],
        ]
        return table(rows.compactMap(\.self), width: outputWidth)
    }
}

extension Survey {
    fileprivate func details(of machine: SurveyedMachine) -> String {
        let groups = wanted.groups(of: machine.entry.machine).sorted().joined(separator: ", ")
        var rows: [[Message]] = [
            ["machine", .verbatim(machine.entry.machine.description)],
            ["name", .verbatim(excerpt(of: machine.entry.name))], ["groups", .verbatim(groups)],
            ["state", machine.state.words],
        ]
        if let status = machine.status, let issued = machine.issued {
            rows += [
                ["reported", "\(rfc3339(issued)), \(Int(time - issued).asTimeAgo)"],
                ["host", .verbatim(excerpt(of: status.host))],
                ["workspace", .verbatim(excerpt(of: status.workspace))],
                ["version", .verbatim(excerpt(of: status.version))],
                ["kernel", .verbatim(excerpt(of: status.kernel))],
                ["contains programs", status.contained ? "yes" : "no"],
                ["system", status.facts.map { .verbatim(excerpt(of: $0.system)) } ?? "unknown"],
                ["disk encrypted", (status.facts?.isEncrypted).words],
                ["restart required", (status.facts?.needsRestart).words],
                ["refused in 7 days", "\(status.refused)"],
                [
                    "last verify",
                    status.verify.map { "\(rfc3339($0.time)), \($0.findings) found" } ?? "never",
                ],
            ]
            if status.pending > 0 { rows.append(["orders pending", "\(status.pending)"]) }
            rows += status.accounts.map { ["account", $0.words] }
        }
        rows += machine.attention.map { ["attend to", $0.words] }
        rows += machine.differences.filter { !$0.matters }.map { ["and", $0.words] }
        return table(rows, width: outputWidth)
    }

    fileprivate func json(_ root: FleetRoot, _ machines: [SurveyedMachine]) -> JSONValue {
        let sums = sums
        return [
            "time": JSONValue(time: time), "organization": .string(root.organization.description),
            "name": .string(excerpt(of: root.root.name)),
            "sums": [
                "machines": JSONValue(self.machines.count),
                "states": .object(
                    Dictionary(
                        uniqueKeysWithValues: SurveyedMachine.State.allCases.map {
                            ($0.rawValue, JSONValue(sums.states[$0] ?? 0))
                        })),
                "attention": .object(sums.attention.mapValues { JSONValue($0) }),
                "versions": .object(
                    Dictionary(
                        sums.versions.map { (excerpt(of: $0.key), JSONValue($0.value)) },
                        uniquingKeysWith: { first, _ in first })),
                "pending": .integer(sums.pending), "refused": .integer(sums.refused),
                "accounts": JSONValue(sums.accounts),
            ],
            "flaws": JSONValue(texts: flaws.map(\.english)),
            "certificates": .array(certificates.map(\.json)),
            "warnings": JSONValue(texts: warnings.map(\.english)),
            "machines": .array(machines.map(\.json)),
        ]
    }
}

extension MachineStatus.Account {
    fileprivate var words: Message {
        let parts: [Message?] = [
            .verbatim(excerpt(of: name)), .verbatim(window.rawValue),
            blockedBy.map { "blocked by \(excerpt(of: $0))" },
            compliant ? "compliant" : "not compliant",
            checkedIn.map { "checked in at \(rfc3339($0))" } ?? "never checked in",
            .verbatim(id.description),
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
