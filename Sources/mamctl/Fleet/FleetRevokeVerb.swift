// `fleet revoke`: a machine, or an invitation, is let in no more.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func revokeMachines(_ invocation: Invocation) throws -> ExitStatus {
    let engine = try existingEngine(of: invocation)
    let meant = try Revocation(invocation, engine.directory)
    let survey = try FleetDirectory(of: invocation).survey(invocation)
    try meant.agree(survey, invocation)
    try meant.make(engine, reason: try invocation.arguments.text("reason"))
    meant.report(survey, engine, invocation)
    return .success
}

/// Who is let in no more.
private struct Revocation {
    private var machines: [RegisteredMachine] = []
    /// Open ones, and those of the machines.
    private var invitations: [InvitationRecord] = []

    init(_ invocation: Invocation, _ directory: OrganizationDirectory) throws {
        let known = try directory.registeredMachines()
        let records = try directory.invitationRecords()
        for word in invocation.operands {
            let text = word.text ?? ""
            let found = known.filter { $0.isNamed(text) }
            guard found.count < 2 else {
                throw Failure(
                    .usage, "\(word.shown) is the name of \(found.count) machines",
                    next: "use an id: \(found.map(\.machine.description).joined(separator: ", "))")
            }
            if let machine = found.first {
                guard !machines.contains(where: { $0.machine == machine.machine }) else { continue }
                machines.append(machine)
                invitations += records.filter { $0.isOf(machine) }
            } else if let open = records.first(where: { $0.id.description == text }) {
                invitations.append(open)
            } else {
                throw Failure(
                    .notFound, "\(word.shown): no machine or invitation has this id or name",
                    next: "mamctl fleet status --all lists the machines")
            }
        }
        try requireUnused()
    }

    /// Revoking an invitation that was used would leave its machine in.
    private func requireUnused() throws(Failure) {
        for invitation in invitations {
            guard let machine = invitation.machine,
                !machines.contains(where: { $0.machine == machine })
            else { continue }
            throw Failure(
                .refused, "\(invitation.id): machine \(machine) was admitted with this invitation",
                next: "mamctl fleet revoke \(machine)")
        }
    }

    // MARK: Asking

    func agree(_ survey: Survey, _ invocation: Invocation) throws {
        for machine in machines {
            guard let found = survey.machine(machine.machine) else { continue }
            printError(verbatim: survey.words(for: found))
            warn(of: found, survey)
        }
        for invitation in invitations where invitation.machine == nil {
            printError("invitation \(invitation.id)  \(shown(invitation.note))")
        }
        let question: Message =
            machines.isEmpty
            ? "Withdraw \(invitations.count.counted("invitation"))?"
            : "Revoke \(machines.count.counted("machine"))?"
        try mamctl.agree(to: question, orElse: "nobody was revoked", invocation)
    }

    /// A machine that servers refuse hears of its wipe nowhere but from a web server.
    private func warn(of machine: SurveyedMachine, _ survey: Survey) {
        let id = machine.entry.machine
        let wipes = survey.orders.orders.filter {
            $0.audience == .machine(id) && $0.order.action == .wipe && !$0.isTakenBack
        }
        let open = wipes.count { $0.state == .pending || $0.state == .unsigned }
        let ordered = Set(wipes.filter { $0.state != .expired }.compactMap(\.order.account))
        let others = machine.status?.accounts.count { !ordered.contains($0.id) } ?? 0
        if open > 0 {
            printError("It has not obeyed \(open.counted("wipe")).")
        }
        if others > 0 {
            printError("No wipe of \(others.counted("account")) there was ordered.")
        }
        if open > 0 || others > 0 {
            printError(
                "Once it is revoked, orders reach it by a web server or a stick alone.")
        }
    }

    // MARK: Revoking

    func make(_ engine: Engine, reason: String?) throws {
        let (directory, now) = (engine.directory, Int64(currentTime()))
        // The servers' list first: what is only in the register would keep nobody out.
        let users =
            machines.map { ($0.transportKey, $0.admitted) }
            + invitations.map { ($0.transportKey, $0.created) }
        try engine.revoke(Dictionary(users, uniquingKeysWith: max), at: now)
        for machine in machines {
            var entry = machine
            entry.revoked = machine.revoked ?? now
            entry.reason = reason ?? machine.reason
            try directory.write(entry)
            directory.note([LogEntry(.revoke, machine: machine.machine, reason: entry.reason)])
        }
        for invitation in invitations {
            let answer = directory.answerFile(invitation.id)
            if try directory.has(answer) { try directory.remove(answer) }
            var record = invitation
            record.expires = min(record.expires, now)
            try directory.write(record)
            var entry = LogEntry(.revoke)
            entry.invitation = invitation.id
            directory.note([entry])
        }
    }

    func report(_ survey: Survey, _ engine: Engine, _ invocation: Invocation) {
        if invocation.isJSON {
            let open = machines.flatMap { survey.openOrders(for: $0.machine) }
            printJSON([
                "machines": .array(machines.map { .string($0.machine.description) }),
                "invitations": .array(invitations.map { .string($0.id.description) }),
                "openOrders": JSONValue(texts: open.map(\.nonce)),
            ])
            return
        }
        for machine in machines {
            printOut("\(machine.machine)  \(shown(machine.name))  revoked")
        }
        for invitation in invitations { printOut("\(invitation.id)  invitation withdrawn") }
        printError(
            "What remains:\n  mamfleet push \(engine.directory.path.asArgument)   ends the"
                + " connections\n  mamctl fleet bundle -o DIR   takes the bundles away, where there"
                + " are any")
    }
}

extension InvitationRecord {
    /// Whether the machine came in by it, now or before.
    fileprivate func isOf(_ entry: RegisteredMachine) -> Bool {
        id == entry.invitation || machine == entry.machine
    }
}
