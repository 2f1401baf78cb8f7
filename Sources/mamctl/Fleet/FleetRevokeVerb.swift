// `fleet revoke`: a machine, or an invitation, is let in no more.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func revokeMachines(_ invocation: Invocation) throws -> ExitStatus {
    let engine = try existingEngine(of: invocation)
    let directory = engine.directory
    let machines = try directory.registeredMachines()
    let invitations = try directory.invitationRecords()
    let reason = try invocation.arguments.text("reason")
    var revoked: [RegisteredMachine] = []
    var withdrawn: [InvitationRecord] = []
    for word in invocation.operands {
        let text = word.text ?? ""
        let found = machines.filter { $0.isNamed(text) }
        guard found.count < 2 else {
            throw Failure(
                .usage, "\(word.shown) is the name of \(found.count) machines",
                next: "use an id: \(found.map(\.machine.description).joined(separator: ", "))")
        }
        if let machine = found.first {
            revoked.append(machine)
            withdrawn += invitations.filter { $0.isOf(machine) }
        } else if let open = invitations.first(where: { $0.id.description == text }) {
            withdrawn.append(open)
        } else {
            throw Failure(
                .notFound, "\(word.shown): no machine or invitation has this id or name",
                next: "look into \(directory.whole(OrganizationDirectory.machines).shown)")
        }
    }
    try requireUnused(withdrawn, revoked)
    let now = Int64(currentTime())
    // The servers' list first: what is only in the register would keep nobody out.
    try engine.revoke(
        revoked.map(\.transportKey) + withdrawn.map(\.transportKey), at: now)
    for machine in revoked {
        var entry = machine
        entry.revoked = machine.revoked ?? now
        entry.reason = reason ?? machine.reason
        try directory.write(entry)
    }
    for invitation in withdrawn {
        let answer = directory.answerFile(invitation.id)
        if try directory.has(answer) { try directory.remove(answer) }
        var record = invitation
        record.expires = min(record.expires, now)
        try directory.write(record)
    }
    report(revoked, withdrawn, engine, invocation)
    return .success
}

extension InvitationRecord {
    /// Whether the machine came in by it, now or before.
    fileprivate func isOf(_ entry: RegisteredMachine) -> Bool {
        id == entry.invitation || machine == entry.machine
    }
}

/// Revoking an invitation that was used would leave its machine in.
private func requireUnused(
    _ invitations: [InvitationRecord], _ revoked: [RegisteredMachine]
) throws(Failure) {
    for invitation in invitations {
        guard let machine = invitation.machine, !revoked.contains(where: { $0.machine == machine })
        else { continue }
        throw Failure(
            .refused, "\(invitation.id): machine \(machine) was admitted with this invitation",
            next: "mamctl fleet revoke \(machine)")
    }
}

private func report(
    _ machines: [RegisteredMachine], _ invitations: [InvitationRecord], _ engine: Engine,
    _ invocation: Invocation
) {
    if invocation.isJSON {
        printJSON([
            "machines": .array(machines.map { .string($0.machine.description) }),
            "invitations": .array(invitations.map { .string($0.id.description) }),
        ])
        return
    }
    for machine in machines {
        printOut("\(machine.machine)  \(shown(machine.name))  revoked")
    }
    for invitation in invitations { printOut("\(invitation.id)  invitation withdrawn") }
    printError(
        "What remains:\n  mamfleet push \(engine.directory.path.asArgument)   ends the connections"
            + "\n  mamctl fleet bundle -o DIR   takes the bundles away, where there are any")
    for machine in machines {
        printError(
            "  mamctl fleet order wipe --machine \(machine.machine) --account ID …   destroys an"
                + " account's keys; a second order key must sign too")
    }
    if !machines.isEmpty {
        printError(
            "The servers let a revoked machine in no more: push its orders first. From a web server"
                + " it gets\nthem later too, and nothing else.")
    }
}
